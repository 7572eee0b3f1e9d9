"""Secure settings are the defaults: each case reads them with its own environment."""

import json
import os
import runpy
import subprocess
import sys
import urllib.request
from io import BytesIO

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from environ.environ import Env, FileAwareEnv
from environ.fileaware_mapping import FileAwareMapping

from config import probe
from tests.conftest import ROOT

pytestmark = pytest.mark.slow

OURS = (
    "DEBUG", "LOCAL", "SECRET_KEY", "ALLOWED_HOSTS", "DATABASE_URL", "DATA_DIR", "SECURE_", "BEHIND_", "PATH_PREFIX",
    "EMAIL_URL", "SITE_URL", "METRICS_TOKEN",
)  # fmt: skip
KEY = "k" * 60
PRODUCTION = {"SECRET_KEY": KEY, "ALLOWED_HOSTS": "coindex.example"}
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
from django.test import Client
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


def environment_of(data_dir, given):
    """Return the environment of this process with none of our variables but those given."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    return environment | {"DJANGO_SETTINGS_MODULE": "config.settings", "DATA_DIR": str(data_dir)} | given


def shown(code, data_dir, **given):
    """Run the code in a new process and return the JSON that it prints."""
    command = [sys.executable, "-W", "ignore", "-c", code]
    environment = environment_of(data_dir, given)
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])


@pytest.fixture
def read(monkeypatch, tmp_path):
    """Return a function that returns the settings of an environment."""

    def read_settings(**given):
        monkeypatch.setattr(os, "environ", environment_of(tmp_path, given))
        monkeypatch.setattr(Env, "ENVIRON", os.environ)
        monkeypatch.setattr(FileAwareEnv, "ENVIRON", FileAwareMapping())  # it keeps what it has read of files
        return runpy.run_path(str(ROOT / "config" / "settings.py"))

    return read_settings


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
def test_production_refuses_missing_or_invalid_settings(read, given, says):
    with pytest.raises(ImproperlyConfigured, match=f"Set {says}"):
        read(**given)


def test_production_with_key_and_hosts_is_secure(read):
    settings = read(**PRODUCTION)
    assert settings["DEBUG"] is False
    assert settings["ALLOWED_HOSTS"] == ["coindex.example"]
    for name in ("SESSION_COOKIE_SECURE", "CSRF_COOKIE_SECURE", "SECURE_SSL_REDIRECT"):
        assert settings[name] is True
    assert settings.get("SESSION_COOKIE_HTTPONLY", True) is True  # as Django has it
    assert settings["SECURE_HSTS_SECONDS"] >= 365 * 24 * 3600
    assert settings["PASSWORD_HASHERS"] == ["config.limits.hashers.BoundedArgon2PasswordHasher"]
    assert settings["MAILERS"] == {}


@pytest.mark.parametrize(
    ("query", "switches"), [("", (False, False)), ("/?tls=1", (True, False)), ("/?ssl=1", (False, True))]
)
def test_email_url_sets_mail_server(read, query, switches):
    settings = read(**PRODUCTION, EMAIL_URL=f"smtp://user:p%40ss@mail.example:587{query}")
    options = settings["MAILERS"]["default"]["OPTIONS"]
    assert (options["use_tls"], options["use_ssl"]) == switches
    assert [options[name] for name in ("host", "port", "username", "password")] == ["mail.example", 587, "user", "p@ss"]
    assert settings["SITE_URL"] == "https://coindex.example"
    assert settings["DEFAULT_FROM_EMAIL"] == "Coindex <coindex@coindex.example>"


def test_secret_key_can_come_from_file(read, tmp_path):
    file = tmp_path / "key"
    file.write_text(KEY, encoding="utf-8")
    assert read(SECRET_KEY_FILE=str(file), ALLOWED_HOSTS="coindex.example")["SECRET_KEY"] == KEY


def test_development_key_is_created_once_and_private(read, tmp_path):
    first, second = (read(DEBUG="1")["SECRET_KEY"] for _ in range(2))
    assert first == second == (tmp_path / "secret-key").read_text(encoding="utf-8")
    assert len(first) >= 50
    assert (tmp_path / "secret-key").stat().st_mode & 0o077 == 0


def test_production_sends_security_headers(migrated_folder):
    seen = shown(VISIT, migrated_folder, **PRODUCTION)
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
from django.test import Client
from django.urls import reverse
from annotations.mail.kinds import absolute
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
def test_proxy_may_keep_or_strip_path_prefix(migrated_folder, given):
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


def test_hsts_includes_subdomains_if_set(read, settings):
    found = read(**PRODUCTION, SECURE_HSTS_INCLUDE_SUBDOMAINS="1", SECURE_HSTS_PRELOAD="1")
    for name in ("SECURE_HSTS_SECONDS", "SECURE_HSTS_INCLUDE_SUBDOMAINS", "SECURE_HSTS_PRELOAD"):
        setattr(settings, name, found[name])
    headers = Client().get("/healthz", secure=True).headers
    assert headers["Strict-Transport-Security"] == "max-age=31536000; includeSubDomains; preload"


def test_32_character_key_and_short_local_key_are_accepted(read):
    assert read(**PRODUCTION | {"SECRET_KEY": "k" * 32})["SECRET_KEY"] == "k" * 32
    assert read(LOCAL="1", SECRET_KEY="x")["SECRET_KEY"] == "x"


@pytest.mark.parametrize("switch", ["LOCAL", "DEBUG"])
def test_local_and_debug_modes_need_no_https(read, switch):
    settings = read(**{switch: "1"})
    assert settings["DEBUG"] is (switch == "DEBUG")
    assert settings["ALLOWED_HOSTS"] == ["127.0.0.1", "localhost", "[::1]"]
    assert settings.get("SESSION_COOKIE_SECURE", False) is False  # as Django has it


def test_sqlite_syncs_each_commit(tmp_path):
    assert shown(MODES, tmp_path, LOCAL="1") == ["wal", 2]  # 2 is FULL


def test_database_url_keeps_options(read):
    address = "postgres://coindex@localhost/coindex?sslmode=require&prepare_threshold=9"
    options = read(**PRODUCTION, DATABASE_URL=address)["DATABASES"]["default"]["OPTIONS"]
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
def test_health_probe_sends_allowed_host(tmp_path, monkeypatch, name, given, asked):
    monkeypatch.delenv("ALLOWED_HOSTS", raising=False)
    monkeypatch.setattr(FileAwareEnv, "ENVIRON", FileAwareMapping())  # which keeps what it has read of files
    value = tmp_path / "hosts"
    value.write_text(given, encoding="utf-8")
    monkeypatch.setenv(name, str(value) if name.endswith("_FILE") else given)
    asking = []
    monkeypatch.setattr(urllib.request, "urlopen", lambda request, **_: asking.append(request) or BytesIO())
    assert probe.ask("http://127.0.0.1:8000/readyz") == 0
    assert [request.get_header("Host") for request in asking] == [asked]


def test_simultaneous_starts_share_one_key(tmp_path):
    show = "from django.conf import settings; print(settings.SECRET_KEY)"
    given = {"cwd": ROOT, "env": environment_of(tmp_path, {"LOCAL": "1"}), "stdout": subprocess.PIPE, "text": True}
    started = [subprocess.Popen([sys.executable, "-c", show], **given) for _ in range(4)]
    said = {process.communicate(timeout=120)[0].strip() for process in started}
    assert said == {(tmp_path / "secret-key").read_text(encoding="utf-8")}
    assert {path.name for path in tmp_path.iterdir() if path.is_file()} == {"secret-key"}
