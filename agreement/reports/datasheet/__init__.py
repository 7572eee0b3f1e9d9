"""The datasheet of a project: its corpus, coders, methods, agreement and gold."""
