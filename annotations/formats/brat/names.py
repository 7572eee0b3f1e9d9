"""File suffixes and reserved names of brat."""

import re

MENTION = "Mention"
COREFERENCE, ANTECEDENT = "Coreference", "Antecedent"
CATEGORY = "Category"
# The attribute answered by the types of T lines, if types are neither levels nor categories.
TYPE = "type"
# `Relation-KEY` marks an R line of a relation other than identity; `Reading` numbers the R lines of one reading.
RELATION, READING = "Relation-", "Reading"
FLAGS = ("Optional", "Unsure", "Uncoded", "Unlinked")
NOTE, CHAIN_NAME, LABEL, LEAST = "AnnotatorNotes", "ChainName", "Label", "Min"
SUFFIX, TEXT_SUFFIX, CONFIGURATION = ".ann", ".txt", "annotation.conf"
RESERVED = (CATEGORY, *FLAGS, NOTE, CHAIN_NAME, LABEL, LEAST, READING)

LINE_END = re.compile(r"\r\n?|\n")
