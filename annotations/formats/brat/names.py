"""What brat's files are called, and what stands in them."""

import re

MENTION = "Mention"
COREFERENCE, ANTECEDENT = "Coreference", "Antecedent"
CATEGORY = "Category"
# The attribute that types of T lines are answers to, where they are neither levels nor categories.
TYPE = "type"
# `Relation-KEY` is an R line of another relation than identity; `Reading` says of R lines which are meant together.
RELATION, READING = "Relation-", "Reading"
FLAGS = ("Optional", "Unsure", "Uncoded", "Unlinked")
NOTE, CHAIN_NAME, LABEL, LEAST = "AnnotatorNotes", "ChainName", "Label", "Min"
SUFFIX, TEXT_SUFFIX, CONFIGURATION = ".ann", ".txt", "annotation.conf"
RESERVED = (CATEGORY, *FLAGS, NOTE, CHAIN_NAME, LABEL, LEAST, READING)

LINE_END = re.compile(r"\r\n?|\n")
