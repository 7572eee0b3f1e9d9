"""Coders that are programs: they use the API by `coindex.client`, as anybody may."""
