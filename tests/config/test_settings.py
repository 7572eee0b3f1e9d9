"""Secure settings are the defaults: each case starts Python anew with its own environment."""

import json
import os
import subprocess
import sys
import urllib.request
from io import BytesIO

import pytest
from environ.environ import FileAwareEnv
from environ.fileaware_mapping import FileAwareMapping

from config import probe
from tests.conftest import ROOT

pytestmark = pytest.mark.slow

OURS = (
    "DEBUG",
    "LOCAL",
    "SECRET_KEY",
    "ALLOWED_HOSTS",
    "DATABASE_URL",
    "DATA_DIR",
    "SECURE_",
    "BEHIND_",
    "PATH_PREFIX",
)
KEY = "k" * 60
PRODUCTION = {"SECRET_KEY": KEY, "ALLOWED_HOSTS": "coindex.example"}
SHOW = """
import json
from django.conf import settings
names = ["DEBUG", "SECRET_KEY", "ALLOWED_HOSTS", "SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE",
         "SESSION_COOKIE_HTTPONLY", "SECURE_SSL_REDIRECT", "SECURE_HSTS_SECONDS", "PASSWORD_HASHERS"]
print(json.dumps({name: getattr(settings, name) for name in names}))
"""
MODES = """
import json
from django.db import connection
with connection.cursor() as cursor:
    print(json.dumps([cursor.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous")]))
"""
VISIT = """
import json, django
django.setup()
from django.conf import settings
from django.core.management import call_command
from django.test import Client
call_command("migrate", verbosity=0)
# Names of files without hashes: nobody collects and compresses them here.
settings.STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
plain = Client().get("/sign-in/", headers={"host": "coindex.example"})
answer = Client().get("/sign-in/", secure=True, headers={"host": "coindex.example"})
wrong = Client().get("/sign-in/", secure=True, headers={"host": "evil.example"})
print(json.dumps({
    "plain": [plain.status_code, plain.get("Location")], "status": answer.status_code, "wrong": wrong.status_code,
    "headers": dict(answer.headers), "cookie": answer.cookies["csrftoken"].OutputString(),
}))
"""

ASK_FOR_HEALTH = """
import django, json; django.setup()
from django.test import Client
print(json.dumps(dict(Client().get("/healthz", secure=True, headers={"host": "coindex.example"}).headers)))
"""


def run(code, data_dir, **given):
    environment = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    environment |= {"DJANGO_SETTINGS_MODULE": "config.settings", "DATA_DIR": str(data_dir)} | given
    command = [sys.executable, "-W", "ignore", "-c", code]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)


def shown(code, data_dir, **given):
    done = run(code, data_dir, **given)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({}, "SECRET_KEY"),
        ({"ALLOWED_HOSTS": "coindex.example"}, "SECRET_KEY"),
        ({"SECRET_KEY": "", "ALLOWED_HOSTS": "coindex.example"}, "SECRET_KEY"),
        ({"SECRET_KEY": KEY}, "ALLOWED_HOSTS"),
        (PRODUCTION | {"METRICS_TOKEN": "x" * 31}, "METRICS_TOKEN"),
        (PRODUCTION | {"ALLOWED_HOSTS": "*", "EMAIL_URL": "smtp://mail.example"}, "SITE_URL"),
        (PRODUCTION | {"PATH_PREFIX": "tools"}, "PATH_PREFIX to a path such as /tools/coindex"),
        (PRODUCTION | {"PATH_PREFIX": "/tools//coindex"}, "PATH_PREFIX to a path such as /tools/coindex"),
        ({"DEBUG": "0", "SECRET_KEY": KEY, "ALLOWED_HOSTS": ""}, "ALLOWED_HOSTS"),
        ({"SECRET_KEY": "x", "ALLOWED_HOSTS": "coindex.example"}, "SECRET_KEY"),
        ({"SECRET_KEY": "k" * 31, "ALLOWED_HOSTS": "coindex.example"}, "SECRET_KEY"),
    ],
)
def test_production_refuses_to_start_without_its_own_key_or_hosts(tmp_path, given, says):
    done = run(SHOW, tmp_path, **given)
    assert done.returncode != 0
    assert f"ImproperlyConfigured: Set {says}" in done.stderr


def test_with_key_and_hosts_production_starts_and_is_secure(tmp_path):
    settings = shown(SHOW, tmp_path, **PRODUCTION)
    assert settings["DEBUG"] is False
    assert settings["ALLOWED_HOSTS"] == ["coindex.example"]
    for name in ("SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE", "SESSION_COOKIE_HTTPONLY", "SECURE_SSL_REDIRECT"):
        assert settings[name] is True
    assert settings["SECURE_HSTS_SECONDS"] >= 365 * 24 * 3600
    assert settings["PASSWORD_HASHERS"] == ["config.limits.hashers.BoundedArgon2PasswordHasher"]


SHOW_MAIL = """
import json
from django.conf import settings
print(json.dumps([settings.MAILERS, settings.SITE_URL, settings.DEFAULT_FROM_EMAIL]))
"""


@pytest.mark.parametrize(
    ("query", "switches"), [("", (False, False)), ("/?tls=1", (True, False)), ("/?ssl=1", (False, True))]
)
def test_the_mail_server_is_an_address(tmp_path, query, switches):
    given = {"EMAIL_URL": f"smtp://user:p%40ss@mail.example:587{query}"}
    mailers, site, sender = shown(SHOW_MAIL, tmp_path, **PRODUCTION, **given)
    options = mailers["default"]["OPTIONS"]
    assert (options["use_tls"], options["use_ssl"]) == switches
    assert [options[name] for name in ("host", "port", "username", "password")] == ["mail.example", 587, "user", "p@ss"]
    assert (site, sender) == ("https://coindex.example", "Coindex <coindex@coindex.example>")


def test_without_its_address_there_is_no_mail_server(tmp_path):
    assert shown(SHOW_MAIL, tmp_path, **PRODUCTION)[0] == {}


def test_the_key_may_come_from_a_file(tmp_path):
    file = tmp_path / "key"
    file.write_text(KEY, encoding="utf-8")
    settings = shown(SHOW, tmp_path, SECRET_KEY_FILE=str(file), ALLOWED_HOSTS="coindex.example")
    assert settings["SECRET_KEY"] == KEY


def test_a_developers_key_is_made_once_and_kept_to_its_owner(tmp_path):
    first, second = (shown(SHOW, tmp_path, DEBUG="1")["SECRET_KEY"] for _ in range(2))
    assert first == second == (tmp_path / "secret-key").read_text(encoding="utf-8")
    assert len(first) >= 50
    assert (tmp_path / "secret-key").stat().st_mode & 0o077 == 0


def test_a_response_in_production_carries_the_headers(tmp_path):
    seen = shown(VISIT, tmp_path, **PRODUCTION)
    assert seen["plain"] == [301, "https://coindex.example/sign-in/"]
    assert (seen["status"], seen["wrong"]) == (200, 400)
    headers = seen["headers"]
    assert headers["Strict-Transport-Security"] == "max-age=31536000"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    policy = dict(part.strip().split(" ", 1) for part in headers["Content-Security-Policy"].split(";"))
    assert policy["default-src"] == policy["script-src"] == policy["style-src"] == "'self'"
    assert policy["object-src"] == policy["frame-ancestors"] == policy["base-uri"] == "'none'"
    assert "Secure" in seen["cookie"]
    assert "SameSite=Lax" in seen["cookie"]


VISIT_BELOW = """
import json, django
django.setup()
from django.conf import settings
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from annotations.mail.kinds import absolute
call_command("migrate", verbosity=0)
settings.STORAGES["staticfiles"] = {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}
host = {"host": "coindex.example"}
def seen(path, secure=True):
    answer = Client().get(path, secure=secure, headers=host)
    cookies = [cookie.OutputString() for cookie in answer.cookies.values()]
    return [answer.status_code, answer.get("Location"), answer.get("Content-Type", "").split(";")[0], cookies]
paths = ["/", "/sign-in/", "/help", "/healthz", "/api/v1/ghost/"]
print(json.dumps({
    "kept": [seen("/tools/coindex" + path) for path in paths], "stripped": [seen(path) for path in paths],
    "plain": [seen("/tools/coindex" + path, secure=False)[:2] for path in paths],
    "neighbour": seen("/tools/coindex2/")[0], "without slash": seen("/tools/coindex")[1],
    "mail": absolute(reverse("home")), "static": settings.STATIC_URL,
}))
"""


@pytest.mark.parametrize(
    "given", [{}, {"PATH_PREFIX": "/tools/coindex/", "SITE_URL": "https://coindex.example/tools/coindex/"}]
)
def test_below_a_path_it_is_the_same_whether_the_proxy_keeps_the_path_or_strips_it(migrated_folder, given):
    visits = shown(VISIT_BELOW, migrated_folder, **PRODUCTION, **{"PATH_PREFIX": "/tools/coindex"} | given)
    for way in ("kept", "stripped"):
        home, sign_in, no_slash, health, api = visits[way]
        assert home[:2] == [302, "/tools/coindex/sign-in/?next=/tools/coindex/"]
        assert sign_in[0] == 200
        assert sign_in[3][0].startswith("coindex_csrftoken=")
        assert "; Path=/tools/coindex; SameSite=Lax; Secure" in sign_in[3][0]
        assert no_slash[:2] == [301, "/tools/coindex/help/"]
        assert health[:2] == [200, None]
        assert api[:3] == [404, None, "application/problem+json"]
    for path, (status, location) in zip(("/", "/sign-in/", "/help"), visits["plain"][:3], strict=True):
        assert (status, location) == (301, f"https://coindex.example/tools/coindex{path}")
    assert visits["plain"][3] == [200, None]
    assert visits["neighbour"] == 404
    assert visits["without slash"] == "/tools/coindex/sign-in/?next=/tools/coindex/"
    assert visits["mail"] == "https://coindex.example/tools/coindex/"
    assert visits["static"] == "/tools/coindex/static/"


def test_other_names_under_ours_are_bound_to_https_where_that_is_asked_for(tmp_path):
    asked = {"SECURE_HSTS_INCLUDE_SUBDOMAINS": "1", "SECURE_HSTS_PRELOAD": "1"}
    headers = shown(ASK_FOR_HEALTH, tmp_path, **PRODUCTION, **asked)
    assert headers["Strict-Transport-Security"] == "max-age=31536000; includeSubDomains; preload"


def test_a_key_of_32_characters_is_long_enough_and_ones_own_machine_takes_any(tmp_path):
    assert shown(SHOW, tmp_path, **PRODUCTION | {"SECRET_KEY": "k" * 32})["SECRET_KEY"] == "k" * 32
    assert shown(SHOW, tmp_path, LOCAL="1", SECRET_KEY="x")["SECRET_KEY"] == "x"


@pytest.mark.parametrize("switch", ["LOCAL", "DEBUG"])
def test_ones_own_machine_needs_no_https_and_shows_tracebacks_to_developers_only(tmp_path, switch):
    settings = shown(SHOW, tmp_path, **{switch: "1"})
    assert settings["DEBUG"] is (switch == "DEBUG")
    assert settings["ALLOWED_HOSTS"] == ["127.0.0.1", "localhost", "[::1]"]
    assert settings["SESSION_COOKIE_SECURE"] is False


def test_what_sqlite_has_acknowledged_outlives_a_power_failure(tmp_path):
    assert shown(MODES, tmp_path, LOCAL="1") == ["wal", 2]  # 2 is FULL


def test_what_the_address_of_the_database_says_stays(tmp_path):
    code = "import json; from django.conf import settings; print(json.dumps(settings.DATABASES['default']['OPTIONS']))"
    given = PRODUCTION | {"DATABASE_URL": "postgres://coindex@localhost/coindex?sslmode=require&prepare_threshold=9"}
    options = shown(code, tmp_path, **given)
    assert (options["sslmode"], options["prepare_threshold"], options["server_side_binding"]) == ("require", 9, True)
    assert options["options"] == "-c jit=off"


@pytest.mark.parametrize(
    ("name", "given", "asked"),
    [
        ("ALLOWED_HOSTS", "coindex.example,other.example", "coindex.example"),
        ("ALLOWED_HOSTS", ".coindex.example", "coindex.example"),
        ("ALLOWED_HOSTS", "*", "127.0.0.1"),
        ("ALLOWED_HOSTS_FILE", "coindex.example", "coindex.example"),
        ("OTHER", "", "127.0.0.1"),
    ],
)
def test_the_health_check_comes_by_a_name_of_the_server(tmp_path, monkeypatch, name, given, asked):
    monkeypatch.delenv("ALLOWED_HOSTS", raising=False)
    monkeypatch.setattr(FileAwareEnv, "ENVIRON", FileAwareMapping())  # which keeps what it has read of files
    value = tmp_path / "hosts"
    value.write_text(given, encoding="utf-8")
    monkeypatch.setenv(name, str(value) if name.endswith("_FILE") else given)
    asking = []
    monkeypatch.setattr(urllib.request, "urlopen", lambda request, **_: asking.append(request) or BytesIO())
    assert probe.ask("http://127.0.0.1:8000/readyz") == 0
    assert [request.get_header("Host") for request in asking] == [asked]


def test_processes_that_start_at_once_have_one_key_and_half_of_one_is_never_kept(tmp_path):
    show = "from django.conf import settings; print(settings.SECRET_KEY)"
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "config.settings", "DATA_DIR": str(tmp_path), "LOCAL": "1"}
    environment.pop("SECRET_KEY", None)
    started = [
        subprocess.Popen([sys.executable, "-c", show], cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
        for _ in range(4)
    ]
    said = {process.communicate(timeout=120)[0].strip() for process in started}
    assert said == {(tmp_path / "secret-key").read_text(encoding="utf-8")}
    assert {path.name for path in tmp_path.iterdir() if path.is_file()} == {"secret-key"}
