"""What brat's files are called, and what stands in them."""

import re

MENTION = "Mention"
COREFERENCE, ANTECEDENT = "Coreference", "Antecedent"
CATEGORY = "Category"
FLAGS = ("Optional", "Unsure", "Uncoded", "Unlinked")
NOTE, CHAIN_NAME, LABEL, LEAST = "AnnotatorNotes", "ChainName", "Label", "Min"
SUFFIX, TEXT_SUFFIX, CONFIGURATION = ".ann", ".txt", "annotation.conf"

LINE_END = re.compile(r"\r\n?|\n")
