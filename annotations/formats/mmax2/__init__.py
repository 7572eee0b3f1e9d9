"""MMAX2 projects: words in one file, markables of each level in others, tied to the words by their ids.

Read are the `.mmax` file (without any the words stand for it), `common_paths.xml` (without it the levels are told by
the names of the files), the words, the schemes, and every folder with markables of a coded level: each folder is a
coder. DTDs, style sheets and customizations are not looked at.

* The text is the words joined by a blank. A line ends before and after each markable of the level `sentence` (or
  `utterance`), where the project has none, of `turn`, else of `line`. These levels and `paragraph` and `header` give
  segments with label and speaker, for all coders those of the first folder. They are markables too where pointers go
  to them; an attribute `stands_for` (markable, segment or both) says otherwise.
* A level is coded if its scheme has pointers, or sets where no level has pointers, or, where no level has either, a
  nominal attribute. What leads to these by `next` says the category. Without a scheme file the attributes are told
  by their values.
* `phrase_antecedent_2` adds the antecedents of a second reading to those of `phrase_antecedent`, and `coref_class_2`
  a second entity to that of `coref_class`.
* Other pointers than those that say identity (by `identity="false"`, by their names, or by `bridge` in another
  attribute) are relations, and other attributes further questions, by their names in small letters.
  `bridging_readings="1+2;3"` says that the first two targets of `bridging` are meant together. Written is
  `attribute_NAME` for a question whose name means something else here.
* Of sets, what is in none and has no category is an entity of its own.
* Attributes and files of markables that are not read are counted by name.
* A markable is uncoded if it has none of the attributes of its scheme.
"""

from annotations.formats.mmax2.project import bundle_projects
from annotations.formats.mmax2.reading import read
from annotations.formats.mmax2.writing import write
from annotations.formats.model.features import Feature
from annotations.formats.model.format import SLIPS, Format, Option

ATTRIBUTE = Option(
    "attribute",
    "The attribute that says what goes together, if not pointers to antecedents or, where there are none, sets",
    example="coref_class",
)

FORMAT = Format(
    "mmax2",
    "MMAX2 project",
    (".mmax",),
    read,
    bundle_projects,
    write,
    frozenset(Feature) - {Feature.TITLE, Feature.EDGES, Feature.SPACING, Feature.CONTROL_CHARACTERS},
    options=(ATTRIBUTE, SLIPS),
    options_written=(ATTRIBUTE,),
    binary=True,
    in_words=True,
    names_levels=True,
    names_categories=True,
    names_questions=True,
)
