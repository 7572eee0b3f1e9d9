"""The data as they are computed with: by their keys, and as the tables of the papers."""
