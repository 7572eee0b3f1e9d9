"""Coindex, installed by pip: the launcher of the program, which lies as it is in `coindex/app/`."""
