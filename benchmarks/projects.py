"""A seeded synthetic project in the database: several coders' pointers between the same markables."""

import uuid

import numpy as np
from django.db import transaction
from django.utils import timezone

from annotations.coding import operations
from annotations.models import (
    Category,
    Coding,
    Judgement,
    Level,
    Markable,
    Membership,
    Operation,
    Pointer,
    Project,
    Relation,
    Text,
    User,
)
from annotations.projects.rounds import current_round, put_into_round

WORD = "word "
POINTING, AMBIGUOUS, CHANGED = 0.5, 0.03, 0.1  # shares of the markables, and of a coder's changed answers


@transaction.atomic
def fill(texts: int, coders: int, markables: int, seed: int = 1) -> Project:
    """Create a project with the categories of Poesio & Artstein, all texts submitted by every coder."""
    random = np.random.default_rng(seed)
    project = Project.objects.create(slug="synthetic", title="Synthetic", answers="pointers")
    phrase = Level.objects.create(project=project, key="phrase", label="phrase")
    phrasal = Category.objects.create(project=project, key="phrase", label="phrase")
    identity = Relation.objects.create(
        project=project,
        key="phrase",
        label="phrase",
        identity=True,
        asked_if={"question": "category", "values": ["phrase"]},
    )
    identity.to_levels.add(phrase)
    others = [Category.objects.create(project=project, key=key, label=key) for key in ("place", "none")]
    people = User.objects.bulk_create(
        [User(username=name) for name in ("manager", *(f"coder{i + 1}" for i in range(coders)))]
    )
    Membership.objects.bulk_create(
        [
            Membership(project=project, user=person, role="coder" if number else "manager")
            for number, person in enumerate(people)
        ]
    )
    text_rows = Text.objects.bulk_create(
        [Text(project=project, slug=f"text-{i:04}", title=f"Text {i}", content=WORD * markables) for i in range(texts)]
    )
    main = current_round(project)
    put_into_round(main, text_rows)
    words = Markable.objects.bulk_create(
        [
            Markable(
                text=text,
                level=phrase,
                key=f"phrase:{start}-{start + 4}",
                parts=[[start, start + 4]],
                start=start,
                end=start + 4,
            )
            for text in text_rows
            for start in range(0, markables * len(WORD), len(WORD))
        ],
        batch_size=2000,
    )
    codings = Coding.objects.bulk_create(
        Coding(text=text, coder=coder, round=main, status="submitted", version=1)
        for text in text_rows
        for coder in people[1:]
    )
    # Every coder starts from the same answers, and changes some of them.
    shape = (texts, coders, markables)
    points = np.repeat(random.random((texts, 1, markables)) < POINTING, coders, axis=1)
    distance = np.repeat(random.geometric(0.25, (texts, 1, markables)), coders, axis=1)
    other_category = np.repeat(random.integers(0, 2, (texts, 1, markables)), coders, axis=1)
    changed = random.random(shape) < CHANGED
    points = np.where(changed, random.random(shape) < POINTING, points)
    distance = np.where(changed, random.geometric(0.25, shape), distance)
    other_category = np.where(changed, random.integers(0, 2, shape), other_category)
    position = np.arange(markables)
    target = position - distance
    points &= target >= 0
    second = target - random.geometric(0.25, shape)
    ambiguous = points & (second >= 0) & (random.random(shape) < AMBIGUOUS)
    judgements = Judgement.objects.bulk_create(
        [
            Judgement(
                coding=codings[text * coders + coder],
                markable=words[text * markables + word],
                category=phrasal if points[text, coder, word] else others[other_category[text, coder, word]],
            )
            for text in range(texts)
            for coder in range(coders)
            for word in range(markables)
        ],
        batch_size=2000,
    )
    Pointer.objects.bulk_create(
        [
            Pointer(
                judgement=judgements[(text * coders + coder) * markables + word],
                relation=identity,
                reading=reading,
                target=words[text * markables + targets[text, coder, word]],
            )
            for reading, (mask, targets) in enumerate(((points, target), (ambiguous, second)))
            for text, coder, word in np.argwhere(mask).tolist()
        ],
        batch_size=2000,
    )
    Operation.objects.bulk_create(
        [
            Operation(
                coding=coding,
                sequence=1,
                uuid=uuid.uuid4(),
                kind="submit",
                payload={},
                user=coding.coder,
                applied_at=timezone.now(),
            )
            for coding in codings
        ]
    )
    return project


def change_answer(coding: Coding, number: int) -> None:
    """Change the coder's answer for a markable of the coding, by an operation as the page sends it."""
    coding.refresh_from_db()
    key = list(coding.text.markables.values_list("key", flat=True))[number]
    before = coding.judgements.get(markable__key=key).category
    other = "place" if before is None or before.key != "place" else "none"
    Coding.objects.filter(pk=coding.pk).update(status="open")
    payload = {"markable": key, "category": other, "pointers": []}
    operations.apply(coding, coding.coder, coding.version, [operations.Change(uuid.uuid4(), "judge", payload)])
