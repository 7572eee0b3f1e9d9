"""The tables, one noun a file."""

from annotations.models.answered import Answered
from annotations.models.coding import Coding, Index, Judgement, Pointer
from annotations.models.invitation import Invitation
from annotations.models.operation import Operation
from annotations.models.project import Category, Level, Membership, Project
from annotations.models.pyramid import SCU, Docset
from annotations.models.text import Markable, Segment, Text
from annotations.models.token import Token
from annotations.models.transfer import Transfer
from annotations.models.user import User

__all__ = [
    "SCU",
    "Answered",
    "Category",
    "Coding",
    "Docset",
    "Index",
    "Invitation",
    "Judgement",
    "Level",
    "Markable",
    "Membership",
    "Operation",
    "Pointer",
    "Project",
    "Segment",
    "Text",
    "Token",
    "Transfer",
    "User",
]
