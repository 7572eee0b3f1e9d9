"""Constraints of the database."""

from datetime import date
from itertools import chain
from uuid import uuid4

import pytest
from django.apps import apps
from django.db import IntegrityError, transaction
from django.utils import timezone

from agreement.models import Flag, Mapping, Remark, StoredAnswers
from annotations import models
from annotations.projects.people.invitations import invite
from annotations.projects.people.tokens import create_token
from tests.shared.projects import make_shared_project, person

UUID = uuid4()


@pytest.fixture
def rows(rows_of_module, db):
    return rows_of_module


@pytest.fixture(scope="module")
def rows_of_module(module_rows):
    """Make a valid row of each model, from which the tests make invalid rows."""
    project = make_shared_project()
    text, (alice, charlie) = project.texts.get(), map(person, ("alice", "charlie"))
    docset = models.Docset.objects.create(project=project, slug="sinking", title="Sinking")
    models.Text.objects.create(
        project=project, docset=docset, role="models", slug="sinking", title="Sinking", content="x"
    )
    round_ = text.rounds.get()
    plan = models.Plan.objects.create(round=round_, design="k", k=2)
    models.Coding.objects.create(text=text, coder=charlie, kind="agreed", round=round_)
    models.Coding.objects.create(text=text, coder=charlie, kind="gold", round=round_)
    coding = text.codings.of_people().get(coder=alice)
    markable = text.markables.get(label="a")
    category = project.categories.get(key="none")
    judgement = models.Judgement.objects.create(coding=coding, markable=markable, category=category)
    relation = project.relations.get(key="phrase")
    attribute = models.Attribute.objects.create(project=project, key="gender", label="gender")
    value = models.AttributeValue.objects.create(attribute=attribute, key="f", label="feminine")
    models.AttributeAnswer.objects.create(judgement=judgement, attribute=attribute, text="once")
    question = models.Question.objects.create(text=text, uuid=UUID, coder=alice, body="Why?", created_at=timezone.now())
    good = [
        models.GuidelinesReading.objects.create(project=project, user=alice, number=1),
        models.GuidelinesVersion.objects.create(project=project, number=1, created_at=timezone.now()),
        models.SchemeVersion.objects.create(project=project, number=1, scheme={}, created_at=timezone.now()),
        question,
        models.Reply.objects.create(question=question, author=charlie, body="So.", created_at=timezone.now()),
        alice,
        project,
        project.memberships.get(user=alice),
        models.ModelCoder.objects.create(membership=project.memberships.get(user=alice), version="1"),
        project.levels.get(key="phrase"),
        project.categories.get(key="phrase"),
        text,
        round_,
        round_.memberships.get(text=text),
        models.TrainingDecision.objects.create(
            round=round_, coder=alice, outcome="passed", reason="Known.", decided_by=charlie
        ),
        plan,
        models.PlanCoder.objects.create(plan=plan, coder=alice),
        models.RepeatPlan.objects.create(round=round_, number=1, days=7, applied_at=timezone.now()),
        models.PlanText.objects.create(plan=plan, text=text, coders=2),
        text.segments.first(),
        markable,
        coding,
        judgement,
        relation,
        attribute,
        value,
        models.AttributeAnswer.objects.create(judgement=judgement, attribute=attribute, value=value),
        models.Pointer.objects.create(judgement=judgement, relation=relation, target=markable),
        models.Index.objects.create(judgement=judgement, entity="1"),
        models.Operation.objects.create(
            coding=coding, sequence=1, uuid=UUID, kind="judge", payload={}, user=alice, applied_at=timezone.now()
        ),
        Remark.objects.create(markable=markable, author=alice, body="Which?"),
        Flag.objects.create(markable=markable, author=alice),
        Mapping.objects.create(project=project, name="things", classes={"place": "thing"}, author=alice),
        StoredAnswers.objects.create(project=project, text=text, round=round_, occasion=1, version=b"x", content=b"x"),
        docset,
        models.SCU.objects.create(coding=coding, key="1", label="It sank"),
        models.ImportNames.objects.create(project=project, format="mmax2"),
        models.Transfer.objects.create(project=project, user=alice, kind="export", format="muc", choices={}),
        models.IdempotencyRecord.objects.create(user=alice, key=UUID, digest="0" * 64, status=201, body={}),
        create_token(alice, "notebook", "read", 1)[0],
        models.Mail.objects.create(kind="confirm", user=alice, key="key", next_try_at=timezone.now()),
        invite(project, "coder", alice, days=1)[0],
    ]
    return {type(row): row for row in good}


# constraint: (model, the fields in which the bad row differs from a good copy)
BAD = {
    "user_username_unique_in_any_case": (models.User, {"username": "ALICE"}),
    "answered_once": (models.IdempotencyRecord, {}),
    "project_answers_known": (models.Project, {"slug": "p", "answers": "ghost"}),
    "project_unmarked_known": (models.Project, {"slug": "p", "unmarked": "ghost"}),
    "membership_one_role_a_person": (models.Membership, {"role": "viewer"}),
    "membership_group_without_comma": (models.Membership, {"group": "a,b", "user": "mallory"}),
    "membership_role_known": (models.Membership, {"role": "ghost", "user": "mallory"}),
    "guidelines_version_once_in_project": (models.GuidelinesVersion, {}),
    "guidelines_version_counts_from_1": (models.GuidelinesVersion, {"number": 0}),
    "scheme_version_once_in_project": (models.SchemeVersion, {}),
    "scheme_version_counts_from_1": (models.SchemeVersion, {"number": 0}),
    "guidelines_reading_one_a_person": (models.GuidelinesReading, {"number": 2}),
    "guidelines_reading_of_a_version": (models.GuidelinesReading, {"user": "mallory", "number": 0}),
    "question_once_in_text": (models.Question, {}),
    "question_not_empty": (models.Question, {"uuid": uuid4(), "body": ""}),
    "question_resolved_by_somebody": (models.Question, {"uuid": uuid4(), "resolved_by": "mallory"}),
    "question_published_with_answer": (models.Question, {"uuid": uuid4(), "public_question": "Why?"}),
    "reply_not_empty": (models.Reply, {"body": ""}),
    "level_key_unique_in_project": (models.Level, {}),
    "level_marked_is_coded": (models.Level, {"key": "c", "coded": False, "coders_mark": True}),
    "category_key_unique_in_project": (models.Category, {}),
    "category_singleton_takes_no_index": (models.Category, {"key": "c", "singleton": True, "takes_index": True}),
    "relation_key_unique_in_project": (models.Relation, {}),
    "relation_takes_a_target": (models.Relation, {"key": "r", "max_targets": 0}),
    "attribute_key_unique_in_project": (models.Attribute, {}),
    "attribute_of_relation_names_it": (models.Attribute, {"key": "a", "of": "relation"}),
    "attribute_kind_known": (models.Attribute, {"key": "a", "kind": "ghost"}),
    "value_key_unique_in_attribute": (models.AttributeValue, {}),
    "answer_value_once": (models.AttributeAnswer, {}),
    "answer_text_or_number_once": (models.AttributeAnswer, {"value": None, "text": "twice"}),
    "answer_is_value_text_or_number": (models.AttributeAnswer, {"value": None}),
    "text_slug_unique_in_project": (models.Text, {}),
    "text_not_empty": (models.Text, {"slug": "t", "content": ""}),
    "text_direction_known": (models.Text, {"slug": "t", "direction": "up"}),
    "text_summaries_are_of_a_docset": (models.Text, {"slug": "t", "role": "peer"}),
    "text_one_of_models_a_docset": (models.Text, {"slug": "t", "role": "models", "docset": "sinking"}),
    "docset_slug_unique_in_project": (models.Docset, {}),
    "scu_once_in_coding": (models.SCU, {}),
    "scu_has_key": (models.SCU, {"key": ""}),
    "scu_says_something": (models.SCU, {"key": "k", "label": ""}),
    "segment_once": (models.Segment, {}),
    "segment_not_empty": (models.Segment, {"start": 5, "end": 5}),
    "markable_once_in_text": (models.Markable, {}),
    "markable_not_empty": (models.Markable, {"key": "k", "start": 5, "end": 5}),
    "round_name_unique_in_project": (models.Round, {}),
    "round_has_a_name": (models.Round, {"name": ""}),
    "round_kind_known": (models.Round, {"name": "r", "kind": "ghost"}),
    "round_ends_after_it_starts": (
        models.Round,
        {"name": "r", "starts_on": date(2026, 2, 1), "ends_on": date(2026, 1, 31)},
    ),
    "round_has_guidelines_once_it_began": (models.Round, {"name": "r", "guidelines_version": 1}),
    "round_pass_rule_has_measure_and_mark": (models.Round, {"name": "r", "kind": "training", "pass_measure": "masi"}),
    "round_pass_rule_is_of_training": (models.Round, {"name": "r", "attempts": 2}),
    "round_attempts_are_positive": (models.Round, {"name": "r", "kind": "training", "attempts": 0}),
    "round_feedback_at_once_is_of_training": (models.Round, {"name": "r", "feedback": "judgement"}),
    "training_decision_outcome_known": (models.TrainingDecision, {"outcome": "ghost"}),
    "training_decision_has_a_reason": (models.TrainingDecision, {"reason": ""}),
    "round_has_a_text_once": (models.RoundText, {}),
    "plan_design_known": (models.Plan, {"round": "second", "design": "ghost"}),
    "plan_k_is_positive": (models.Plan, {"round": "second", "k": 0}),
    "plan_share_is_a_part": (models.Plan, {"round": "second", "design": "share", "share": 1.5}),
    "plan_blocks_are_of_blocks": (models.Plan, {"round": "second", "blocks": 2}),
    "plan_has_a_coder_once": (models.PlanCoder, {}),
    "plan_weights_are_positive": (models.PlanCoder, {"coder": "mallory", "weight": 0}),
    "plan_has_a_text_once": (models.PlanText, {}),
    "repeat_plan_has_a_share_or_a_number": (models.RepeatPlan, {"round": "second", "share": 0.5}),
    "plan_text_is_coded": (models.PlanText, {"text": "sinking", "coders": 0}),
    "coding_one_a_coder_round_and_occasion": (models.Coding, {}),
    "coding_repeats_are_of_texts": (models.Coding, {"kind": "agreed", "occasion": 2}),
    "coding_one_agreed_a_text": (models.Coding, {"kind": "agreed", "coder": "mallory"}),
    "coding_one_gold_a_text_and_round": (models.Coding, {"kind": "gold", "coder": "mallory"}),
    "coding_kind_known": (models.Coding, {"kind": "ghost"}),
    "coding_status_known": (models.Coding, {"status": "ghost", "coder": "mallory"}),
    "coding_no_model_decides": (models.Coding, {"kind": "gold", "coder": "mallory", "by_model": True}),
    "coding_has_a_coder_unless_gold": (models.Coding, {"coder": None}),
    "judgement_one_a_markable": (models.Judgement, {}),
    "pointer_once": (models.Pointer, {}),
    "index_once": (models.Index, {}),
    "index_not_empty": (models.Index, {"entity": ""}),
    "operation_sequence_without_double": (models.Operation, {"uuid": uuid4()}),
    "operation_applied_once": (models.Operation, {"sequence": 2}),
    "operation_kind_known": (models.Operation, {"sequence": 2, "uuid": uuid4(), "kind": "ghost"}),
    "operation_has_a_user_unless_draft": (models.Operation, {"sequence": 2, "uuid": uuid4(), "user": None}),
    "operation_sequence_from_one": (models.Operation, {"sequence": 0, "uuid": uuid4()}),
    "remark_not_empty": (Remark, {"body": ""}),
    "flag_resolved_by_somebody": (Flag, {"resolved_by": "mallory"}),
    "mapping_name_unique_in_project": (Mapping, {}),
    "stored_answers_once": (StoredAnswers, {}),
    "mapping_has_a_name": (Mapping, {"name": ""}),
    "import_names_once_a_format": (models.ImportNames, {}),
    "transfer_kind_known": (models.Transfer, {"kind": "ghost"}),
    "transfer_state_known": (models.Transfer, {"state": "ghost"}),
    "transfer_only_a_restore_has_no_project": (models.Transfer, {"project": None}),
    "token_scope_known": (models.Token, {"digest": "d", "scope": "ghost"}),
    "invitation_role_known": (models.Invitation, {"digest": "d", "role": "ghost"}),
    "invitation_used_as_often_as_it_may": (models.Invitation, {"digest": "d", "max_uses": 2, "uses": 3}),
    "mail_state_known": (models.Mail, {"key": "k", "state": "ghost"}),
    "mail_to_somebody": (models.Mail, {"key": "k", "user": None}),
    "invitation_used_by_somebody_at_some_time": (models.Invitation, {"digest": "d", "used_by": "mallory"}),
}
# Bounds that are no constraints of the models' own.
BAD_BY_TYPE = [
    (models.Relation, {"key": "r", "max_targets": -1}),
    (models.AttributeAnswer, {"text": "and a value"}),
    (models.AttributeAnswer, {"number": 1.0}),
    (models.AttributeAnswer, {"value": None, "text": "and a number", "number": 1.0}),
    (models.Segment, {"start": -1}),
    (models.Markable, {"key": "k", "start": -1}),
    (models.Coding, {"version": -1, "coder": "mallory"}),
    (models.Coding, {"round": None, "coder": "mallory"}),
    (models.Coding, {"occasion": 0}),
    (models.Project, {}),
    (models.User, {"username": "alice", "email": "other"}),
    (models.Judgement, {"coding": None}),
    (models.Operation, {"sequence": 2, "uuid": uuid4(), "user": None}),
    (Flag, {}),  # an item has one
]


def bad_copy(rows, model, differences):
    """Return a copy of the valid row with these differences, which give people by name."""
    good = rows[model]
    fields = {
        field.attname: getattr(good, field.attname) for field in model._meta.concrete_fields if not field.primary_key
    }
    for name, value in differences.items():
        field = model._meta.get_field(name)
        if value == "mallory":
            value = models.User.objects.get(username=value).pk
        elif name == "text" and value == "sinking":
            value = models.Text.objects.get(slug=value).pk
        elif value == "second":
            value = models.Round.objects.create(project=good.round.project, name=value).pk
        elif name == "docset":
            value = rows[models.Docset].pk
        fields[field.attname] = value
    return model(**fields)


def test_every_constraint_has_test_case():
    ours = chain.from_iterable(apps.get_app_config(name).get_models() for name in ("annotations", "agreement"))
    assert set(BAD) == {c.name for c in chain.from_iterable(model._meta.constraints for model in ours)}


@pytest.mark.parametrize("name", BAD)
def test_database_refuses_row_that_breaks_constraint(rows, mallory, name):
    model, differences = BAD[name]
    row = bad_copy(rows, model, differences)
    with pytest.raises(IntegrityError) as refused, transaction.atomic():
        row.save(force_insert=True)
    constraint = next(each for each in model._meta.constraints if each.name == name)
    columns = [model._meta.get_field(field).column for field in getattr(constraint, "fields", ())]
    message = str(refused.value)
    # SQLite names the columns of a unique constraint, or an index on expressions; PostgreSQL the constraint.
    assert name in message or (columns and all(column in message for column in columns))


@pytest.mark.parametrize(("model", "differences"), BAD_BY_TYPE)
def test_database_refuses_values_that_no_field_can_hold(rows, mallory, model, differences):
    row = bad_copy(rows, model, differences)
    with pytest.raises(IntegrityError), transaction.atomic():
        row.save(force_insert=True)


def test_valid_rows_are_saved(rows):
    assert all(model.objects.filter(pk=row.pk).exists() for model, row in rows.items())
