"""Pages of the scheme of a project: what it is, the designer, files, versions."""
