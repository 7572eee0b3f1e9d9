"""Decisions on gold: their log entries, the codings that they are based on, and their lists."""
