"""Coindex, installed by pip: the launcher of the program, whose code is in `coindex/app/`."""
