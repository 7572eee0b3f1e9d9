"""The people of the demo, who sign in with one password."""

from annotations.models import User

PASSWORD = "coindex-demo"  # noqa: S105 - printed on purpose, for a developer's own machine
MANAGER = "manager"
# Coders without codings, so that a newcomer can code as one of them.
BEGINNERS = ("alice", "bob")


def person(name: str) -> User:
    """Return the account of that name, made where there is none."""
    user, created = User.objects.get_or_create(username=name)
    if created:
        user.set_password(PASSWORD)
        user.save(update_fields=["password"])
    return user
