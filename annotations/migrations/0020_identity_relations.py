from django.db import migrations
from django.db.models import Count, F, OuterRef, Subquery

# So many pointers at a time get the number of their reading.
BATCH = 10_000


def make_relations(apps, schema_editor):
    """Turn what categories say of their pointers into relations of identity, and number the readings of pointers.

    All in one statement for all pointers, but for the numbers of those judgements that have several.
    """
    alias = schema_editor.connection.alias
    make_identity_relations(apps, alias)
    Pointer = apps.get_model("annotations", "Pointer")
    pointers = Pointer.objects.using(alias)
    pointers.update(relation=relation_of_pointer(apps, alias))
    # A judgement without category has no pointers, unless an archive brought them: those of the first category.
    for project in pointers.filter(relation=None).values_list("judgement__coding__text__project", flat=True).distinct():
        relation = first_relation(apps, alias, project)
        unasked = pointers.filter(relation=None, judgement__coding__text__project=project)
        if relation is None:
            unasked.delete()
        else:
            unasked.update(relation=relation)
    number_readings(pointers)


def make_identity_relations(apps, alias):
    """Make a relation of each category that points, and of each that does not any more and still has pointers."""
    Category, Relation = apps.get_model("annotations", "Category"), apps.get_model("annotations", "Relation")
    Pointer = apps.get_model("annotations", "Pointer")
    used = Pointer.objects.using(alias).filter(judgement__category__points_to=None).values("judgement__category")
    categories = Category.objects.using(alias)
    pointing = list((categories.exclude(points_to=None) | categories.filter(pk__in=used)).order_by("pk"))
    relations = Relation.objects.using(alias).bulk_create(identity_relation(Relation, category) for category in pointing)
    through = Relation.to_levels.through
    through.objects.using(alias).bulk_create(
        through(relation_id=relation.pk, level_id=category.points_to_id)
        for category, relation in zip(pointing, relations, strict=True)
        if category.points_to_id is not None
    )


def identity_relation(Relation, category):
    return Relation(
        project_id=category.project_id,
        key=category.key,
        label=category.label,
        identity=True,
        max_targets=category.max_pointers,
        later=category.allow_later,
        asked_if={"question": "category", "values": [category.key]},
        position=category.position,
    )


def relation_of_pointer(apps, alias):
    """Return the relation of the category of the judgement of a pointer, which have the same key."""
    Relation = apps.get_model("annotations", "Relation")
    of_category = Relation.objects.using(alias).filter(
        project__categories__judgements=OuterRef("judgement"), project__categories__key=F("key")
    )
    return Subquery(of_category.order_by().values("pk")[:1])


def first_relation(apps, alias, project):
    """Return the relation of the project's first category, which is made if it has none; None without categories."""
    Category, Relation = apps.get_model("annotations", "Category"), apps.get_model("annotations", "Relation")
    category = Category.objects.using(alias).filter(project=project).order_by("position", "key").first()
    if category is None:
        return None
    relation = Relation.objects.using(alias).filter(project=project, key=category.key).first()
    if relation is None:
        relation = identity_relation(Relation, category)
        relation.save(using=alias)
    return relation


def number_readings(pointers):
    """Number the pointers of each judgement that has several from 0, in the order of their targets."""
    several = pointers.order_by().values("judgement").annotate(count=Count("pk")).filter(count__gt=1)
    rows = pointers.filter(judgement__in=several.values("judgement")).order_by(
        "judgement", "target__start", "-target__end", "pk"
    )
    last, number = None, 0
    waiting = {}
    for pk, judgement in rows.values_list("pk", "judgement").iterator(chunk_size=BATCH):
        number = number + 1 if judgement == last else 0
        last = judgement
        if number:  # they have 0
            waiting.setdefault(number, []).append(pk)
            if len(waiting[number]) == BATCH:
                pointers.filter(pk__in=waiting.pop(number)).update(reading=number)
    for number, keys in waiting.items():
        pointers.filter(pk__in=keys).update(reading=number)


def restore_categories(apps, schema_editor):
    """Turn relations of identity into what categories say of their pointers."""
    alias = schema_editor.connection.alias
    Category, Relation = apps.get_model("annotations", "Category"), apps.get_model("annotations", "Relation")
    pointers = apps.get_model("annotations", "Pointer").objects.using(alias)
    for relation in Relation.objects.using(alias).filter(identity=True).prefetch_related("to_levels"):
        level = next(iter(relation.to_levels.all()), None)
        if level is not None:
            # A category that takes an index, or is a singleton, pointed to nothing.
            Category.objects.using(alias).filter(
                project=relation.project_id, key__in=relation.asked_if["values"], takes_index=False, singleton=False
            ).update(points_to=level, max_pointers=relation.max_targets, allow_later=relation.later)
    pointers.update(relation=None, reading=0)
    # An attribute keeps its relation from deletion; its table goes next.
    for name in ("AttributeAnswer", "Attribute", "Relation"):
        apps.get_model("annotations", name).objects.using(alias).all().delete()


class Migration(migrations.Migration):

    dependencies = [
        ("annotations", "0019_relations_and_attributes"),
    ]

    operations = [
        migrations.RunPython(make_relations, restore_categories, elidable=True),
    ]
