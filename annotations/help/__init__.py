"""The manuals and the glossary as pages, and a search in them."""
