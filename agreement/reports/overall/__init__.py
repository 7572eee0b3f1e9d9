"""Agreement of a project: overall, by distance, and over time."""
