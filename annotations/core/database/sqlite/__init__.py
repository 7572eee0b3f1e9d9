"""The database backend for SQLite, with the bounds of PostgreSQL."""
