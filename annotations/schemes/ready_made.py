"""Ready-made schemes for new projects, and some starting points that follow a corpus. Data only."""

from annotations.formats.model.scheme import (
    CATEGORY,
    AnswerKind,
    AttributeSpec,
    CategorySpec,
    Condition,
    LevelSpec,
    ReadyMadeScheme,
    RelationSpec,
    Subject,
    ValueSpec,
)
from annotations.models import Project

PHRASE = LevelSpec("phrase", "phrase")
WORD = LevelSpec("word", "word", coded=False)
TURN = LevelSpec("turn", "turn", coded=False)

SCHEMES: dict[str, ReadyMadeScheme] = {
    scheme.key: scheme
    for scheme in (
        ReadyMadeScheme(
            "poesio-artstein-2005",
            "Anaphora with ambiguity (Poesio & Artstein 2005)",
            "Each phrase refers to an earlier phrase, to something said in an earlier turn, to a named place, or "
            "to nothing before it. Several pointers say that a phrase is ambiguous.",
            "pointers",
            (PHRASE, TURN),
            (
                CategorySpec("phrase", "phrase", points_to="phrase"),
                CategorySpec("segment", "segment", points_to="turn"),
                CategorySpec("place", "place"),
                CategorySpec("none", "none"),
            ),
            "poesio-artstein-2005",
        ),
        ReadyMadeScheme(
            "passonneau-2004",
            "Coreference by index (Passonneau 2004)",
            "Each phrase gets the index of the entity it refers to, a new index, or none.",
            "indices",
            (PHRASE,),
            (
                CategorySpec("refers", "refers", takes_index=True),
                CategorySpec("none", "does not refer", singleton=True),
            ),
            "passonneau-2004",
            unmarked="singleton",
        ),
        ReadyMadeScheme(
            "clusters",
            "Clusters of mentions",
            "Mentions with the entities they belong to, as most corpora are distributed.",
            "indices",
            (LevelSpec("mention", "mention"),),
            (CategorySpec("refers", "refers", takes_index=True), CategorySpec("none", "does not refer")),
            "masi",
            unmarked="singleton",
        ),
        ReadyMadeScheme(
            "muc-ident",
            "Identity links (MUC-6 and MUC-7)",
            "Each phrase is linked to one other phrase that it is identical with, or to none.",
            "pointers",
            (PHRASE,),
            (
                CategorySpec(
                    "ident", "identity", points_to="phrase", max_pointers=1, allow_later=True, takes_optional=True
                ),
                CategorySpec("none", "none"),
            ),
            "poesio-artstein-2005",
        ),
        ReadyMadeScheme(
            "pyramid",
            "Pyramids of Summary Content Units (Nenkova & Passonneau 2004)",
            "Words of several model summaries that say the same make a content unit; peer summaries are scored by the "
            "units that they express.",
            "scus",
            (LevelSpec("contributor", "contributor", coders_mark=True), WORD),
            (
                CategorySpec("scu", "content unit", takes_index=True),
                CategorySpec("outside", "no content unit of the pyramid"),
            ),
            "passonneau-2006-words",
            unmarked="singleton",
        ),
        ReadyMadeScheme(
            "sortal-classes",
            "Ten sortal classes",
            "What kind of thing each phrase stands for.",
            "categories",
            (PHRASE,),
            (
                CategorySpec("person", "person"),
                CategorySpec("group", "group"),
                CategorySpec("physobj", "physical object"),
                CategorySpec("concept", "concept"),
                CategorySpec("loc", "location"),
                CategorySpec("time", "time"),
                CategorySpec("event", "event"),
                CategorySpec("action", "action"),
                CategorySpec("state", "state"),
                CategorySpec("property", "property"),
            ),
            "kappa",
        ),
    )
}


def _values(*labels: str) -> tuple[ValueSpec, ...]:
    return tuple(ValueSpec(label.replace(" ", "-"), label) for label in labels)


ARRAU = ReadyMadeScheme(
    "arrau-like",
    "Anaphora and bridging, ARRAU-like",
    "Each phrase is new in the text, refers to an earlier phrase or to something said in a segment, or does not refer. "
    "Phrases that are new may be linked to what they belong to. Gender, number and kind of the entity are asked once.",
    "pointers",
    (PHRASE, LevelSpec("segment", "segment", coded=False)),
    (
        CategorySpec("phrase-antecedent", "old: phrase", points_to="phrase", help="It refers to what a phrase names."),
        CategorySpec(
            "segment-antecedent", "old: segment", points_to="segment", help="It refers to what a segment says."
        ),
        CategorySpec("new", "new", help="It is named for the first time."),
        CategorySpec("non-referring", "non-referring", help="It names nothing: expletives, predicates, idioms."),
    ),
    "poesio-artstein-2005",
    relations=(
        RelationSpec(
            "bridging",
            "bridging",
            help="What the new thing is known by.",
            to_levels=("phrase",),
            asked_if=Condition(CATEGORY, ("new",)),
        ),
    ),
    attributes=(
        AttributeSpec(
            "bridging-kind",
            "kind of bridging",
            of=Subject.RELATION,
            relation="bridging",
            required=True,
            values=_values("part", "possession", "element", "subset", "other", "undersp-rel"),
        ),
        AttributeSpec(
            "non-referring-kind",
            "kind of non-referring",
            required=True,
            asked_if=Condition(CATEGORY, ("non-referring",)),
            values=_values("expletive", "predicate", "quantifier", "coordination", "idiom"),
        ),
        AttributeSpec(
            "entity-kind",
            "kind of entity",
            of=Subject.ENTITY,
            values=_values("person", "animate", "concrete", "organization", "space", "time", "plan", "abstract"),
        ),
        AttributeSpec("gender", "gender", of=Subject.ENTITY, values=_values("female", "male", "neuter", "undersp")),
        AttributeSpec("number", "number", of=Subject.ENTITY, values=_values("singular", "plural", "mass")),
    ),
)

GUM = ReadyMadeScheme(
    "gum-like",
    "Entities, coreference and bridging, GUM-like",
    "Each mention gets its entity type and its information status; mentions of one entity are linked, and so are those "
    "that bridge to another one.",
    "pointers",
    (LevelSpec("mention", "mention"),),
    (CategorySpec("coref", "coreference", points_to="mention", max_pointers=1), CategorySpec("first", "first mention")),
    "poesio-artstein-2005",
    relations=(
        RelationSpec(
            "bridge", "bridging", help="A part, a member or an aspect of what it names.", to_levels=("mention",)
        ),
    ),
    attributes=(
        AttributeSpec(
            "entity-type",
            "entity type",
            required=True,
            values=_values(
                *("person", "place", "organization", "object", "event", "time", "substance", "animal", "plant"),
                "abstract",
            ),
        ),
        AttributeSpec(
            "information-status",
            "information status",
            required=True,
            values=_values("new", "given active", "given inactive", "accessible inferable", "accessible common ground"),
        ),
    ),
)

MULTI_LABEL = ReadyMadeScheme(
    "multi-label",
    "Several labels for each item",
    "No chains: each item gets all labels that hold. Agreement is on sets of labels.",
    "categories",
    (LevelSpec("item", "item"),),
    (),
    "kappa",
    attributes=(
        AttributeSpec(
            "labels",
            "labels",
            kind=AnswerKind.SEVERAL,
            required=True,
            values=_values("joy", "trust", "fear", "surprise", "sadness", "disgust", "anger", "anticipation"),
        ),
    ),
)

EMPTY = ReadyMadeScheme(
    "empty", "Empty", "One level of phrases, and no question yet.", "pointers", (PHRASE,), (), "poesio-artstein-2005"
)

STARTING_POINTS = {**SCHEMES, **{scheme.key: scheme for scheme in (ARRAU, GUM, MULTI_LABEL, EMPTY)}}

# Pyramids have a page with fixed questions, not the designer.
DESIGNED = tuple(kind for kind in Project.Answers.values if kind != Project.Answers.SCUS)
