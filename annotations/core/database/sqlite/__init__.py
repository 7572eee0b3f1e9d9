"""The database backend for SQLite, with the integer ranges of PostgreSQL."""
