"""Coders and imported systems against gold."""
