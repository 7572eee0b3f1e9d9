"""The settings: one file, filled from environment variables.

Each variable NAME except DATA_DIR may also be a file named by NAME_FILE (container secrets). Without variables the
settings are for production, and refuse to start. `LOCAL=1` is for the machine of a developer or coder: plain HTTP,
local hosts, a generated key. `DEBUG=1` is LOCAL with tracebacks, for developers.
"""

import os
import re
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any
from urllib.parse import urlsplit

import django_stubs_ext
import environ
from django.core.exceptions import ImproperlyConfigured
from django.core.management.utils import get_random_secret_key
from django.utils.csp import CSP

# Allows subscripts of generic classes such as ModelForm[Project].
django_stubs_ext.monkeypatch()

BASE_DIR = Path(__file__).resolve().parent.parent
DATA_DIR = Path(environ.Env()("DATA_DIR", default=str(BASE_DIR / "var")))

env = environ.FileAwareEnv()

DEBUG = env.bool("DEBUG", default=False)
LOCAL = env.bool("LOCAL", default=DEBUG)


# 32 characters of `openssl rand -hex` are 128 random bits; sessions signed with less could be forged.
MIN_SECRET_KEY_LENGTH = 32


def _secret_key() -> str:
    """Return the secret key from the environment, or if LOCAL a generated key that is stored for the next start."""
    configured: str = env.str("SECRET_KEY", default="")
    if configured and not LOCAL and len(configured) < MIN_SECRET_KEY_LENGTH:
        raise ImproperlyConfigured(
            f"Set SECRET_KEY (or SECRET_KEY_FILE) to {MIN_SECRET_KEY_LENGTH} random characters or more, "
            "such as those of `openssl rand -hex 40`."
        )
    if configured:
        return configured
    if not LOCAL:
        raise ImproperlyConfigured("Set SECRET_KEY (or SECRET_KEY_FILE): production has no default key.")
    path = DATA_DIR / "secret-key"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        # Written atomically; if two processes start at once, both use the first key.
        with NamedTemporaryFile("w", dir=path.parent, encoding="utf-8") as file:
            file.write(get_random_secret_key())
            file.flush()
            with suppress(FileExistsError):
                os.link(file.name, path)
    return path.read_text(encoding="utf-8")


SECRET_KEY = _secret_key()

ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["127.0.0.1", "localhost", "[::1]"] if LOCAL else [])
if not ALLOWED_HOSTS:
    raise ImproperlyConfigured("Set ALLOWED_HOSTS to the host names that this server answers to.")
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])
CSRF_FAILURE_VIEW = "config.errors.csrf_failure"

# The path of the site on a shared host, such as /tools/coindex. A proxy may pass it on or remove it.
PATH_PREFIX = env.str("PATH_PREFIX", default="").rstrip("/")
if PATH_PREFIX and not re.fullmatch(r"(/[\w.~-]+)+", PATH_PREFIX, re.ASCII):
    raise ImproperlyConfigured(f"Set PATH_PREFIX to a path such as /tools/coindex, or to nothing; not {PATH_PREFIX!r}.")
FORCE_SCRIPT_NAME = PATH_PREFIX or None

# The name of the site and the origin of links in mails; the paths of links begin with PATH_PREFIX.
SITE_URL = env.str("SITE_URL", default="").rstrip("/").removesuffix(PATH_PREFIX)
if not SITE_URL:
    SITE_URL = "http://127.0.0.1:8000" if LOCAL else f"https://{ALLOWED_HOSTS[0].lstrip('.')}"


def _mailers() -> dict[str, dict[str, Any]]:
    """Return Django's setting of mail servers, from EMAIL_URL; empty without one."""
    if not env.str("EMAIL_URL", default=""):
        return {}
    url = env.email_url("EMAIL_URL")
    switches = {name: bool(value) for name, value in url.get("OPTIONS", {}).items()}
    if unknown := switches.keys() - {"TLS", "SSL"}:
        raise ImproperlyConfigured(f"EMAIL_URL: unknown {', '.join(sorted(unknown)).lower()}; there are tls and ssl.")
    if not url["EMAIL_BACKEND"].endswith("smtp.EmailBackend"):
        return {"default": {"BACKEND": url["EMAIL_BACKEND"]}}
    options = {
        "host": url["EMAIL_HOST"],
        "port": url["EMAIL_PORT"] or 25,
        "username": url["EMAIL_HOST_USER"] or "",
        "password": url["EMAIL_HOST_PASSWORD"] or "",
        "use_tls": switches.get("TLS", url.get("EMAIL_USE_TLS", False)),
        "use_ssl": switches.get("SSL", url.get("EMAIL_USE_SSL", False)),
        "timeout": 10,
    }
    return {"default": {"BACKEND": url["EMAIL_BACKEND"], "OPTIONS": options}}


# Without a mail server no page mentions mails, and Django's warning is silenced.
MAILERS = _mailers()
SILENCED_SYSTEM_CHECKS = ["mail.W001"]
if MAILERS and (not SITE_URL.startswith(("https://", "http://")) or "*" in SITE_URL):
    raise ImproperlyConfigured("Set SITE_URL to the address of the site, such as https://coindex.example.org.")
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", default="")
if not DEFAULT_FROM_EMAIL:
    DEFAULT_FROM_EMAIL = f"Coindex <coindex@{urlsplit(SITE_URL).hostname}>"
SERVER_EMAIL = DEFAULT_FROM_EMAIL
# The recipients of mails about server errors.
ADMINS = env.list("ADMINS", default=[])
# Links to reset a password, in seconds.
PASSWORD_RESET_TIMEOUT = 24 * 3600

INSTALLED_APPS = [
    "annotations",
    "agreement",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "rest_framework",
    "django_filters",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "axes",
    "django_htmx",
    "django_tasks_db",
]

MIDDLEWARE = [
    "config.middleware.PathPrefixMiddleware",
    "config.monitoring.logs.RequestIdMiddleware",
    "config.monitoring.metrics.MetricsMiddleware",
    "django.middleware.security.SecurityMiddleware",
    "django.middleware.csp.ContentSecurityPolicyMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "config.middleware.UncachedPagesMiddleware",
    "config.middleware.APIConditionalGetMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.auth.middleware.LoginRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "config.limits.bodies.BodySizeMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "axes.middleware.AxesMiddleware",
    "config.middleware.NulCharacterMiddleware",
    "config.middleware.RequestMethodMiddleware",
]

ROOT_URLCONF = "config.urls"
WSGI_APPLICATION = "config.wsgi.application"
ASGI_APPLICATION = "config.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]

DATABASES = {"default": env.db_url("DATABASE_URL", default=f"sqlite:///{DATA_DIR / 'coindex.sqlite3'}")}
IS_SQLITE = DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3"
if IS_SQLITE:
    DATABASES["default"]["ENGINE"] = "annotations.core.database.sqlite"
    # IMMEDIATE takes the write lock when a transaction starts, so two writers wait instead of failing.
    # FULL: in WAL mode a power failure would otherwise lose the transactions acknowledged last.
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
    }
    # A file, as in production: each thread of a live server has its own connection.
    DATABASES["default"]["TEST"] = {"NAME": DATA_DIR / "test.sqlite3"}
    Path(DATABASES["default"]["NAME"]).parent.mkdir(parents=True, exist_ok=True)
else:
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
    # Statements are prepared at the second use: parsing and planning each time is half of the work.
    # The JIT of PostgreSQL takes a second for tables that seem large; the queries take milliseconds.
    defaults = {"server_side_binding": True, "prepare_threshold": 1, "options": "-c jit=off"}
    DATABASES["default"]["OPTIONS"] = defaults | DATABASES["default"].get("OPTIONS", {})
# Also for SQLite: closing the last connection writes the whole write-ahead log to the database.
DATABASES["default"]["CONN_MAX_AGE"] = env.int("CONN_MAX_AGE", default=60)

BEHIND_PROXY = env.bool("BEHIND_PROXY", default=False)

AUTH_USER_MODEL = "annotations.User"
AUTHENTICATION_BACKENDS = ["axes.backends.AxesStandaloneBackend", "django.contrib.auth.backends.ModelBackend"]
# After this number of failures from one address, sign-in is blocked for a while, for any username.
AXES_FAILURE_LIMIT = env.int("SIGN_IN_FAILURES", default=10)
SIGN_IN_FAILURES_OF_ADDRESS = env.int("SIGN_IN_FAILURES_OF_ADDRESS", default=100)
# Successful sign-ins of one name from one network, in a quarter of an hour.
SIGN_INS_OF_NAME = env.int("SIGN_INS_OF_NAME", default=30)
AXES_COOLOFF_TIME = timedelta(minutes=15)
AXES_LOCKOUT_PARAMETERS = [["username", "ip_address"]]
AXES_RESET_ON_SUCCESS = True
AXES_HANDLER = "config.limits.clients.FailureHandler"
AXES_CLIENT_IP_CALLABLE = "config.limits.clients.client_address"
AXES_USERNAME_CALLABLE = "config.limits.clients.attempted_username"
AXES_CLIENT_STR_CALLABLE = "config.limits.clients.describe_client"
AXES_LOCKOUT_TEMPLATE = "registration/locked.html"
AXES_HTTP_RESPONSE_CODE = 429
AXES_DISABLE_ACCESS_LOG = True
AXES_VERBOSE = False
LOGIN_URL = "sign_in"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "sign_in"
PASSWORD_HASHERS = ["config.limits.hashers.BoundedArgon2PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]

LANGUAGE_CODE = "en-gb"
TIME_ZONE = env.str("TIME_ZONE", default="UTC")
USE_I18N = False
USE_TZ = True

# Uploads and exports. No URL serves this folder: views with permission checks send the files as attachments.
MEDIA_ROOT = DATA_DIR / "files"

STATIC_URL = f"{PATH_PREFIX}/static/"
STATIC_ROOT = Path(env.str("STATIC_ROOT", default=str(DATA_DIR / "static")))
STATICFILES_DIRS = [BASE_DIR / "static"]
STATICFILES_FINDERS = [
    "django.contrib.staticfiles.finders.FileSystemFinder",
    "django.contrib.staticfiles.finders.AppDirectoriesFinder",
    "config.finders.PlotlyFinder",
]
STORAGES = {
    "default": {
        "BACKEND": "django.core.files.storage.FileSystemStorage",
        "OPTIONS": {"file_permissions_mode": 0o600, "directory_permissions_mode": 0o700},
    },
    "staticfiles": {
        "BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"
        if LOCAL
        else "config.storage.ManifestStorage"
    },
}
if LOCAL:
    STATIC_ROOT.mkdir(parents=True, exist_ok=True)
WHITENOISE_USE_FINDERS = LOCAL
WHITENOISE_AUTOREFRESH = DEBUG

SECURE_CSP = {
    "default-src": [CSP.SELF],
    "script-src": [CSP.SELF],
    "style-src": [CSP.SELF],
    "img-src": [CSP.SELF, "data:"],
    "object-src": [CSP.NONE],
    "base-uri": [CSP.NONE],
    "form-action": [CSP.SELF],
    "frame-ancestors": [CSP.NONE],
}
# For pages with charts: Plotly inserts inline styles. Scripts stay as restricted as on other pages.
CHARTS_CSP = {**SECURE_CSP, "style-src": [CSP.SELF, CSP.UNSAFE_INLINE]}
X_FRAME_OPTIONS = "DENY"
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = "Lax"
CSRF_COOKIE_SAMESITE = "Lax"
if PATH_PREFIX:
    # Other programs of the host may set cookies of the default names for all paths. A script that searches for the
    # token takes the first of both, as browsers put cookies of longer paths first.
    SESSION_COOKIE_PATH = CSRF_COOKIE_PATH = PATH_PREFIX
    SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = "coindex_sessionid", "coindex_csrftoken"
    MESSAGE_STORAGE = "django.contrib.messages.storage.session.SessionStorage"
if not LOCAL:
    SECURE_SSL_REDIRECT = env.bool("SECURE_SSL_REDIRECT", default=True)
    # Requested from within the network by plain HTTP.
    SECURE_REDIRECT_EXEMPT = [rf"^{re.escape(PATH_PREFIX[1:])}/?(healthz|readyz|metrics)$"]
    SECURE_HSTS_SECONDS = env.int("SECURE_HSTS_SECONDS", default=365 * 24 * 3600)
    # Both also bind other host names for a long time, so their operators decide.
    SECURE_HSTS_INCLUDE_SUBDOMAINS = env.bool("SECURE_HSTS_INCLUDE_SUBDOMAINS", default=False)
    SECURE_HSTS_PRELOAD = env.bool("SECURE_HSTS_PRELOAD", default=False)
    SILENCED_SYSTEM_CHECKS += ["security.W005", "security.W021"]
    SESSION_COOKIE_SECURE = True
    CSRF_COOKIE_SECURE = True
    if BEHIND_PROXY:
        SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

# The default cache counts limits for all processes: a table of PostgreSQL, or Redis or Valkey at CACHE_URL. One process
# serves SQLite, which has one writer at a time, so its memory suffices.
PROCESS_MEMORY = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "OPTIONS": {"MAX_ENTRIES": 10_000}}
BOUNDED_MEMORY = {"BACKEND": "config.caches.BoundedMemoryCache"}
SHARED_TABLE = {
    "BACKEND": "django.core.cache.backends.db.DatabaseCache",
    "LOCATION": "coindex_cache",
    "OPTIONS": {"MAX_ENTRIES": 100_000},
}
CACHES = {
    "default": PROCESS_MEMORY if IS_SQLITE else SHARED_TABLE,
    # Data that a process has read; it is validated before use.
    "process": PROCESS_MEMORY | {"LOCATION": "process"},
    # Slow reports, and rendered pages in two parts each. They contain names, so they stay in the memory of a process.
    "figures": BOUNDED_MEMORY | {"LOCATION": "figures", "OPTIONS": {"MAX_ENTRIES": 500, "MAX_BYTES": 120_000_000}},
    "pages": BOUNDED_MEMORY | {"LOCATION": "pages", "OPTIONS": {"MAX_ENTRIES": 200, "MAX_BYTES": 40_000_000}},
}
if env.str("CACHE_URL", default=""):
    CACHES["default"] = env.cache_url("CACHE_URL")
# Workers run jobs: manage.py db_worker. Long jobs have their own queue, so that a worker without it runs mails and
# small jobs at once: annotations/core/processes/queue.py.
TASKS = {"default": {"BACKEND": "django_tasks_db.DatabaseBackend", "QUEUES": ["default", "long"]}}
# One heartbeat file per worker.
WORKERS_DIR = DATA_DIR / "workers"
# The folder of `manage.py scheduled_backup`.
BACKUP_DIR = Path(env.str("BACKUP_DIR", default=str(DATA_DIR / "backups")))
# The token that Prometheus sends to read /metrics; empty: no such page.
METRICS_TOKEN = env.str("METRICS_TOKEN", default="")
if METRICS_TOKEN and len(METRICS_TOKEN) < 32:
    raise ImproperlyConfigured("Set METRICS_TOKEN to 32 characters or more, by chance, or to none.")

DATA_UPLOAD_MAX_MEMORY_SIZE = 5 * 1024 * 1024
# The largest upload of texts with their codings, packed and unpacked, and its maximum of files. Its content is in
# memory at once: some twelve times its bytes where words are dense with markables (decision 0015).
IMPORT_MAX_BYTES = env.int("IMPORT_MAX_BYTES", default=50 * 1024 * 1024)
IMPORT_MAX_FILES = env.int("IMPORT_MAX_FILES", default=200_000)
# Django's limits are 100 files and 1,000 fields, but a form has a field for each text to tick. Larger uploads are zips.
DATA_UPLOAD_MAX_NUMBER_FILES = DATA_UPLOAD_MAX_NUMBER_FIELDS = 10_000
# The largest unpacked project archive: 240,000 judgements take some 100 MB.
ARCHIVE_MAX_BYTES = env.int("ARCHIVE_MAX_BYTES", default=500 * 1024 * 1024)
# The maximum of accounts that an archive, or all imports into a project, create.
ACCOUNTS_OF_PROJECT = env.int("ACCOUNTS_OF_PROJECT", default=1000)

# Per user.
API_REQUESTS_A_MINUTE = env.int("API_REQUESTS_A_MINUTE", default=6000)
API_ORDERS_AN_HOUR = env.int("API_ORDERS_AN_HOUR", default=240)

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "annotations.api.http.access.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": [
        "rest_framework.permissions.IsAuthenticated",
        "annotations.api.http.access.WithinScope",
    ],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_CONTENT_NEGOTIATION_CLASS": "annotations.api.http.access.PermissiveContentNegotiation",
    "URL_FORMAT_OVERRIDE": None,  # `format` is a filter of imports and exports
    "DEFAULT_SCHEMA_CLASS": "annotations.api.http.schema.ProblemSchema",
    "DEFAULT_THROTTLE_CLASSES": ["annotations.api.http.access.RequestThrottle"],
    "NUM_PROXIES": 1 if BEHIND_PROXY else 0,
    "EXCEPTION_HANDLER": "annotations.api.http.problems.exception_handler",
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
    "SCHEMA_COERCE_PATH_PK": False,
    "UNAUTHENTICATED_USER": "django.contrib.auth.models.AnonymousUser",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Coindex",
    "DESCRIPTION": "Projects, texts, codings and their agreement. Everything a page shows is here too.",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "SERVERS": [{"url": PATH_PREFIX}] if PATH_PREFIX else [],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
    "COMPONENT_SPLIT_REQUEST": True,
    # Several fields are named kind.
    "ENUM_NAME_OVERRIDES": {
        "CodingKindEnum": "annotations.models.Coding.Kind",
        "RoundKindEnum": "annotations.models.Round.Kind",
        "GoldStateEnum": "annotations.api.gold.STATES",
        "MemberRoleEnum": "annotations.models.Membership.Role",
        "TextRoleEnum": "annotations.models.Text.Role",
        "TransferKindEnum": "annotations.models.Transfer.Kind",
        "ChangeKindEnum": "annotations.api.serializers.coding.CODER_KINDS",
        "OperationKindEnum": "annotations.models.Operation.Kind",
    },
}

LOGGING: dict[str, Any] = {
    "version": 1,
    "disable_existing_loggers": False,
    "filters": {
        "request_id": {"()": "config.monitoring.logs.RequestIdFilter"},
        "refusals": {"()": "config.monitoring.logs.RefusalFilter"},
    },
    "formatters": {
        "line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"},
        "json": {"()": "config.monitoring.logs.JSONLinesFormatter"},
    },
    "handlers": {
        "console": {
            "class": "logging.StreamHandler",
            "filters": ["request_id", "refusals"],
            "formatter": "line" if LOCAL else "json",
        }
    },
    "root": {"handlers": ["console"], "level": "INFO"},
    "loggers": {"coindex.requests": {"level": "WARNING" if LOCAL else "INFO"}, "axes": {"level": "WARNING"}},
}
if MAILERS and ADMINS:
    LOGGING["handlers"]["mail"] = {
        "class": "config.monitoring.logs.ErrorMailHandler",
        "filters": ["request_id"],
        "level": "ERROR",
    }
    LOGGING["loggers"]["django.request"] = {"handlers": ["mail"]}
