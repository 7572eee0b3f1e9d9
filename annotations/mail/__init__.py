"""Mails: their kinds, and a queue of rows that the worker sends if the site has a mail server."""
