"""Settings of tests."""

from pathlib import Path

# The hashers of the program are slow on purpose.
QUICK_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

MAIL_SERVER = {
    "MAILERS": {"default": {"BACKEND": "django.core.mail.backends.locmem.EmailBackend"}},
    "SITE_URL": "https://coindex.example",
}


def quick_settings(media_root: Path) -> dict[str, object]:
    """Return settings with which no test waits, or touches files of the program."""
    return {
        "MEDIA_ROOT": media_root,
        "WORKERS_DIR": media_root.parent / f"workers-of-{media_root.name}",
        "TASKS": {"default": {"BACKEND": "django.tasks.backends.immediate.ImmediateBackend", "QUEUES": []}},
        # Tests sign in without a request, which the limit of failures needs.
        "AXES_ENABLED": False,
        "PASSWORD_HASHERS": QUICK_HASHERS,
        # Otherwise each client reads the list of all static files.
        "WHITENOISE_AUTOREFRESH": True,
    }
