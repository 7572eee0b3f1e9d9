"""What is computed of each text, kept in tables: in memory, and in the database for all processes."""
