"""Several workers, and exports by workers."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from django.core.files.uploadedfile import SimpleUploadedFile
from django_tasks_db.models import DBTaskResult

from annotations.models import User
from annotations.transfers.orders import run_transfer
from tests.faults.corpora import BEGIN, FILLER, SCHEME, await_end, carry_out, content, count_rows, fetch, order_export
from tests.faults.people import Person
from tests.faults.program import CODERS, Program, wait_for
from tests.shared.pyramids import build, codings_of, docset, models_of, pyramid_project

AT_A_TIME = 3
LONG = FILLER * 15


def order_imports(manager: Person, slug: str, names: list[str]) -> list[int]:
    """Order an import of a long text for each name, which waits for a worker, and return their numbers."""
    found = []
    for name in names:
        files = [SimpleUploadedFile(f"{name}.coder1.txt", f"{LONG}[Anna](=1) and [her](=1)".encode())]
        answer = manager.post(f"/projects/{slug}/imports/", {"format": "plain", "whose": "name"}, files)
        assert answer.status == 201, answer
        found.append(answer.body["id"])
    return found


def tasks_of(program: Program, transfers: list[int]) -> list[tuple[int, str, list[str]]]:
    """Return transfer, state and workers of each task that was ordered for one of these transfers."""
    with program.inside():
        tasks = DBTaskResult.objects.filter(task_path=run_transfer.module_path)
        found = [
            (of["args"][0], status, workers)
            for of, status, workers in tasks.values_list("args_kwargs", "status", "worker_ids")
        ]
    return [task for task in found if task[0] in transfers]


def test_two_workers_run_each_task_and_order_once(program):
    slug, manager, pks = "two-workers", program.manager, list[int]()
    program.project(slug, SCHEME, BEGIN)
    other = program.start_worker()
    try:
        while len({worker for _, _, workers in tasks_of(program, pks) for worker in workers}) < 2:
            assert len(pks) < 30 * AT_A_TIME, "one of the workers does nothing"
            new = order_imports(manager, slug, [f"long-{len(pks) + number}" for number in range(AT_A_TIME)])
            assert {await_end(manager, pk)["state"] for pk in new} == {"checked"}
            pks += new
        together = Barrier(4)

        def order(pk: int) -> int:
            together.wait()
            return manager.post(f"/transfers/{pk}/carry-out/").status

        with ThreadPoolExecutor(4) as pool:
            for pk in pks:
                assert sorted(pool.map(order, [pk] * 4)) == [200, 409, 409, 409]
        assert {await_end(manager, pk)["state"] for pk in pks} == {"done"}
        # The worker says of its task that it is done a moment later.
        wait_for(lambda: {status for _, status, _ in tasks_of(program, pks)} == {"SUCCESSFUL"}, "the tasks are over")
    finally:
        other.kill()
        other.wait()
    tasks = tasks_of(program, pks)
    assert sorted(pk for pk, _, _ in tasks) == sorted(pks * 2)  # looked at, and carried out
    assert {len(workers) for _, _, workers in tasks} == {1}
    with program.inside():
        count = len(pks)
        assert count_rows(slug) == {
            "texts": count,
            "markables": 2 * count,
            "codings": count,
            "judgements": 2 * count,
            "imports": count,
        }


def test_worker_exports_pyramids(program):
    """Progress is written while the pyramids are read in one snapshot."""
    program.unverified.append("pyramids-out")
    with program.inside():
        project = pyramid_project("pyramids-out")
        program.add_people(project)
        text = models_of(docset(project, User.objects.get(username=CODERS[0])))
        build(codings_of(text)[CODERS[0]], {"s": ["The ferry sank"], "t": ["at dawn"]})
    pk = order_export(program.manager, "pyramids-out", "ducview")
    done = carry_out(program.manager, pk)
    assert (done["state"], done["error"]) == ("done", "")
    assert f"{CODERS[0]}/sinking.pyr" in content(program.manager, pk)
    assert fetch(program.manager, pk)["report"]["codings"] == 1
