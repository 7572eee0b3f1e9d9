"""Limits for a client or person: bodies, time, sign-ins, passwords."""
