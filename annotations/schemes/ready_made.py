"""Ready-made schemes that a new project can start from. Data only."""

from annotations.formats.model.scheme import CategorySpec, LevelSpec, ReadyMadeScheme

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
            (
                CategorySpec("refers", "refers", takes_index=True),
                CategorySpec("none", "does not refer"),
            ),
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
