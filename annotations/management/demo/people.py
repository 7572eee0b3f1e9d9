"""The people of the demo, who sign in with one password."""

from functools import cache

from django.contrib.auth.hashers import get_hasher, make_password

from annotations.models import User

PASSWORD = "coindex-demo"  # noqa: S105 - printed on purpose, for a developer's own machine
MANAGER = "manager"
# Coders without codings, so that a newcomer can code as one of them.
BEGINNERS = ("alice", "bob")


def person(name: str) -> User:
    """Return the account of that name, made where there is none."""
    user, created = User.objects.get_or_create(username=name)
    if created:
        user.password = _hash_password(get_hasher().algorithm)
        user.save(update_fields=["password"])
    return user


@cache
def _hash_password(algorithm: str) -> str:
    """Return the hash of the password, made once for all: a hash takes a tenth of a second on purpose.

    algorithm: that of the settings, which tests change.
    """
    return make_password(PASSWORD, hasher=algorithm)
