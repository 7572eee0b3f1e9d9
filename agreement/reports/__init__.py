"""Parameters -> report. Pages, API and command show what is computed here, and compute nothing themselves."""
