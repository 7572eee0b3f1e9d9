"""The coder that asks a language model, against a recorded server, and servers that are busy, slow or talk nonsense."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from examples.assignments import Mention
from examples.llm_coder import AGAIN, PROMPT, Model, ModelError, Window, main, read_answer, windows, write_text
from tests.coindex.client.conftest import IMPATIENT

RECORDED = Path(__file__).with_name("recorded.json")


class ModelServer(ThreadingHTTPServer):
    """A server of chat completions, which gives the recorded answer to a request, or what `script` says before."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers = {tuple(row["request"]): row["answer"] for row in json.loads(RECORDED.read_text("utf-8"))}
        # Instead of the recorded answers: a status with headers and a body, or an answer of the model.
        self.script: list[tuple[int, dict[str, str], bytes] | str] = []
        self.requests: list[dict] = []
        self.keys: list[str | None] = []
        self.wait = threading.Event()
        self.wait.set()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"


class Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        server = self.server
        assert isinstance(server, ModelServer)
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        server.requests.append(body)
        server.keys.append(self.headers.get("Authorization"))
        server.wait.wait(10)
        said = server.script.pop(0) if server.script else None
        if isinstance(said, tuple):
            status, headers, content = said
        else:
            said = said or server.answers[tuple(message["content"] for message in body["messages"][1:])]
            status, headers = 200, {}
            content = json.dumps({"choices": [{"message": {"role": "assistant", "content": said}}]}).encode()
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(content))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with ModelServer() as server:
        threading.Thread(target=server.serve_forever, args=[0.01], daemon=True).start()
        yield server
        server.wait.set()
        server.shutdown()


@pytest.fixture
def run(model, monkeypatch):
    monkeypatch.setenv("MODEL_KEY", "secret")

    def run(*arguments: str) -> int:
        return main(["--model-url", model.address, "--model", "tiny", *arguments], IMPATIENT)

    return run


def answers_of(client):
    state = client.coding("kitchen", "soup").state
    labels = {markable["key"]: markable["label"] for markable in state["markables"]}
    return {labels[key]: [labels[target] for target in row["pointers"]] for key, row in state["judgements"].items()}


WHOLE = {"a": [], "b": [], "c": ["a"], "d": ["b"]}
BUSY = (429, {"Retry-After": "0"}, b"busy")
NONSENSE = "The soup is hot, I think."
PARTLY = '{"1": null, "2": 3, "3": 1}'


def test_text_is_coded_with_answers_of_model(coder, run, model, tmp_path, capsys):
    client = coder("muc-ident")
    record = tmp_path / "record.jsonl"
    assert run("--submit", "--record", str(record)) == 0
    assert "kitchen/soup (main): 4 judged; submitted" in capsys.readouterr().out
    assert answers_of(client) == WHOLE
    [request] = model.requests
    assert (request["model"], request["temperature"], model.keys) == ("tiny", 0, ["Bearer secret"])
    assert request["messages"][0] == {"role": "system", "content": PROMPT}
    [line] = record.read_text("utf-8").splitlines()
    assert json.loads(line) == {"request": request, "answer": next(iter(model.answers.values()))}


def test_long_text_is_coded_in_windows(coder, run, model):
    client = coder("passonneau-2004")
    assert run("--window", "45", "--overlap", "30") == 0
    assert len(model.requests) == 2
    indices = [row["indices"] for row in client.coding("kitchen", "soup").state["judgements"].values()]
    assert sorted(indices) == [["1"], ["1"], ["2"], ["2"]]


def test_busy_server_is_retried(coder, run, model):
    client = coder("muc-ident")
    model.script = [BUSY, (503, {}, b""), BUSY]
    assert run() == 0
    assert (len(model.requests), answers_of(client)) == (4, WHOLE)


def test_retry_after_wrong_answer_lists_errors(coder, run, model):
    client = coder("muc-ident")
    model.script = [PARTLY, '```json\n{"1": null, "2": null, "3": 1, "4": 2}\n```']
    assert run() == 0
    assert answers_of(client) == WHOLE
    wrong = "the antecedent of 2 is not earlier; there is no answer for 4"
    assert model.requests[1]["messages"][2:] == [
        {"role": "assistant", "content": PARTLY},
        {"role": "user", "content": AGAIN.format(errors=wrong)},
    ]


def test_text_with_two_wrong_answers_stays_open(coder, run, model, capsys):
    client = coder("muc-ident")
    model.script = [PARTLY, NONSENSE]
    assert run("--submit") == 1
    assert answers_of(client) == {"a": [], "c": ["a"]}
    assert client.coding("kitchen", "soup").state["coding"]["status"] == "open"
    assert capsys.readouterr().err == (
        "kitchen/soup (main): it is not JSON\nkitchen/soup (main): undecided markables: 2\n"
    )


@pytest.mark.parametrize(
    ("said", "message"),
    [
        ((200, {}, b"<h1>Hello</h1>"), "this is no answer of chat completions"),
        ((200, {}, b'{"choices": []}'), "this is no answer of chat completions"),
        ((401, {}, b"who are you"), "401 who are you"),
        ((429, {"Retry-After": "3600"}, b"tomorrow"), "429 tomorrow"),
        ((200, {}, b" " * 1_100_000), "an answer of more than"),
        ((302, {"Location": "http://127.0.0.1:9/"}, b""), ": 302 "),
    ],
)
def test_error_shows_wrong_response_of_model_server(model, said, message):
    model.script = [said]
    with pytest.raises(ModelError, match=message):
        Model(model.address, "tiny", patience=IMPATIENT).answer([{"role": "user", "content": "Hello"}])
    assert len(model.requests) == 1


def test_slow_model_raises_timeout_error(model):
    model.wait.clear()
    with pytest.raises(ModelError, match=r"no answer within 0\.05 s; give it more by --timeout"):
        Model(model.address, "tiny", timeout=0.05).answer([{"role": "user", "content": "Hello"}])


def test_error_names_unreachable_model_server():
    with pytest.raises(ModelError, match=r"http://127\.0\.0\.1:9/v1: "):
        Model("http://127.0.0.1:9/v1", "tiny").answer([])


def test_answers_before_model_failure_are_saved(coder, run, model, capsys):
    client = coder("muc-ident")
    model.script = ['{"1": null, "2": null, "3": 1}', (401, {}, b"who are you")]
    assert run("--window", "45", "--overlap", "30", "--submit") == 1
    assert "401 who are you\nkitchen/soup (main): undecided markables: 1" in capsys.readouterr().err
    assert answers_of(client) == {"a": [], "b": [], "c": ["a"]}
    assert run("--window", "45", "--overlap", "30", "--submit") == 0
    assert (len(model.requests), answers_of(client)) == (3, WHOLE)


NO_NUMBER = "the antecedent of 2 is neither null nor the number of a mention"
WINDOW = Window(0, 100, [1, 2, 3], [2, 3])


@pytest.mark.parametrize(
    ("said", "numbers", "errors"),
    [
        ('{"2": 1, "3": null}', {2: 1, 3: None}, []),
        ('{"2": 1, "3": 3}', {2: 1}, ["the antecedent of 3 is not earlier"]),
        ('{"2": 1, "3": 2, "9": 1}', {2: 1, 3: 2}, ["9 is not asked for"]),
        ('{"2": 1, "2": null, "3": 2}', {2: 1, 3: 2}, ["2 is there twice"]),
        ('{"2": true, "3": 2}', {3: 2}, [NO_NUMBER]),
        ('{"2": "1", "3": 2}', {3: 2}, [NO_NUMBER]),
        ('{"2": 0}', {}, [NO_NUMBER, "there is no answer for 3"]),
        ("{}", {}, ["there is no answer for 2, 3"]),
        ("[[2, 1]]", {}, ["it is not one JSON object"]),
        ("[" * 100_000, {}, ["it is not JSON"]),
    ],
)  # fmt: skip
def test_answer_is_parsed_strictly(said, numbers, errors):
    assert read_answer(said, WINDOW) == (numbers, errors)


def mention(*spans):
    return Mention(str(spans), "", spans)


def test_prompt_text_shows_nested_mentions_parts_and_speakers():
    content = "put the kettle on\nyes do"
    mentions = [mention((0, 3), (15, 17)), mention((4, 14)), mention((8, 14)), mention((22, 24))]
    segments = [{"start": 0, "end": 17, "speaker": "M"}, {"start": 18, "end": 24, "speaker": "S"}]
    state = {"text": {"content": content, "segments": segments}}
    written = "M: [1 put] [2 the [3 kettle]] [1 on]\nS: yes [4 do]\n\nAsked for: 3, 4"
    assert write_text(state, mentions, Window(0, 100, [1, 2, 3, 4], [3, 4])) == written


def test_windows_ask_each_fitting_mention_once_with_context():
    mentions = [mention((10 * place, 10 * place + 4)) for place in range(300)]
    mentions[5] = mention((50, 2000))  # too long for any part
    wanted = [number for number in range(1, 301) if number % 7]
    found = list(windows(mentions, wanted, 200, 50))
    assert [number for window in found for number in window.asked] == [number for number in wanted if number != 6]
    assert all(window.end - window.start == 200 and set(window.asked) <= set(window.shown) for window in found)
    assert all(min(window.shown) <= window.asked[0] - 4 for window in found[1:])


def test_hash_covers_model_and_prompt(capsys):
    assert main(["--model", "tiny", "--hash"]) == 0
    digest = hashlib.sha256(f"tiny\n{PROMPT}\n{AGAIN}".encode()).hexdigest()
    assert capsys.readouterr().out == f"tiny with the prompt {digest}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [([], "--model-url"), (["--model-url", "x", "--overlap", "9", "--window", "9"], "--overlap has to be less")],
)
def test_command_names_missing_or_wrong_option(arguments, message, capsys):
    with pytest.raises(SystemExit):
        main(["--model", "tiny", *arguments])
    assert message in capsys.readouterr().err
