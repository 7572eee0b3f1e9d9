"""Decisions on gold: how the log has them, what they rest on, and their lists."""
