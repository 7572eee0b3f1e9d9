"""The datasheet of a project as sections, which a page shows and a file of Markdown contains."""
