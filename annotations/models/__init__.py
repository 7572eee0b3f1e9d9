"""The tables."""

from annotations.models.coding import AttributeAnswer, Coding, Index, Judgement, Pointer
from annotations.models.docset import SCU, Docset
from annotations.models.operation import Operation
from annotations.models.people.user import IdempotencyRecord, Mail, Token, User
from annotations.models.project import (
    AccountOrigin,
    GuidelinesReading,
    GuidelinesVersion,
    Invitation,
    Membership,
    ModelCoder,
    Project,
)
from annotations.models.question import Question, Reply
from annotations.models.round import Plan, PlanCoder, PlanText, RepeatPlan, Round, RoundText, TrainingDecision
from annotations.models.scheme import Attribute, AttributeValue, Category, Level, Relation, SchemeVersion
from annotations.models.text import Markable, Segment, Text
from annotations.models.transfers.transfer import ImportNames, Transfer

__all__ = [
    "SCU",
    "AccountOrigin",
    "Attribute",
    "AttributeAnswer",
    "AttributeValue",
    "Category",
    "Coding",
    "Docset",
    "GuidelinesReading",
    "GuidelinesVersion",
    "IdempotencyRecord",
    "ImportNames",
    "Index",
    "Invitation",
    "Judgement",
    "Level",
    "Mail",
    "Markable",
    "Membership",
    "ModelCoder",
    "Operation",
    "Plan",
    "PlanCoder",
    "PlanText",
    "Pointer",
    "Project",
    "Question",
    "Relation",
    "RepeatPlan",
    "Reply",
    "Round",
    "RoundText",
    "SchemeVersion",
    "Segment",
    "Text",
    "Token",
    "TrainingDecision",
    "Transfer",
    "User",
]
