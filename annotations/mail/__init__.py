"""Mails: what is sent to whom, queued as rows and sent by the worker, where the site has a mail server."""
