"""The datasheet of a project: what its corpus is, who coded it and how, how far they agree, and what became gold."""
