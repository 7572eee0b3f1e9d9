"""Create and find API keys."""

import hashlib
import secrets
from datetime import timedelta

from django.db.models import CharField, QuerySet
from django.utils import timezone

from annotations.core.database.compiled_queries import compiled_query
from annotations.models import Token, User

PREFIX = "coindex_"
PREFIX_LENGTH = len(PREFIX) + 4
MAX_DAYS = 366
# The last use is stored to the hour, so that a key in constant use does not cause constant writes.
LAST_USE_PRECISION = timedelta(hours=1)


def create_token(user: User, name: str, scope: str, days: int) -> tuple[Token, str]:
    """Create an API key that expires after `days`; return it and its secret, which is not stored."""
    secret = PREFIX + secrets.token_urlsafe(32)
    token = Token(
        user=user,
        name=name,
        scope=scope,
        digest=digest_of(secret),
        prefix=secret[:PREFIX_LENGTH],
        expires_at=timezone.now() + timedelta(days=min(days, MAX_DAYS)),
    )
    token.full_clean()
    token.save()
    return token, secret


def find_token(secret: str) -> Token | None:
    """Return the API key with this secret, if it has not expired and its owner may sign in. Record its use."""
    token = next(iter(_tokens_with_digest(digest_of(secret))), None)
    now = timezone.now()
    if token is None or token.expires_at <= now or not token.user.is_active:
        return None
    if token.last_used_at is None or now - token.last_used_at >= LAST_USE_PRECISION:
        Token.objects.filter(pk=token.pk).update(last_used_at=now)
    return token


@compiled_query(CharField())
def _tokens_with_digest(digest: str) -> QuerySet[Token]:
    return Token.objects.select_related("user").filter(digest=digest)


def digest_of(secret: str) -> str:
    """Return the SHA-256 of a secret. 256 random bits cannot be guessed, so no salt and no slow hash are needed."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
