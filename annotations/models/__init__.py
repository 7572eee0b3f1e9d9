"""The tables, one noun a file."""

from annotations.models.coding import Coding, Index, Judgement, Pointer
from annotations.models.docset import SCU, Docset
from annotations.models.guidelines import GuidelinesReading, GuidelinesVersion
from annotations.models.idempotency import IdempotencyRecord
from annotations.models.invitation import Invitation
from annotations.models.mail import Mail
from annotations.models.markable import Markable
from annotations.models.operation import Operation
from annotations.models.project import AccountOrigin, Membership, Project
from annotations.models.question import Question, Reply
from annotations.models.scheme import Category, Level
from annotations.models.text import Segment, Text
from annotations.models.token import Token
from annotations.models.transfer import Transfer
from annotations.models.user import User

__all__ = [
    "SCU",
    "AccountOrigin",
    "Category",
    "Coding",
    "Docset",
    "GuidelinesReading",
    "GuidelinesVersion",
    "IdempotencyRecord",
    "Index",
    "Invitation",
    "Judgement",
    "Level",
    "Mail",
    "Markable",
    "Membership",
    "Operation",
    "Pointer",
    "Project",
    "Question",
    "Reply",
    "Segment",
    "Text",
    "Token",
    "Transfer",
    "User",
]
