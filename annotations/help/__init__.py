"""The manuals and the glossary as pages, with a search."""
