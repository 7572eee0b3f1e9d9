"""The WSGI application that gunicorn serves."""

import gc
import os
from importlib import import_module

from django.conf import settings
from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
application = get_wsgi_application()
# Import URL map and views before the first request: processes forked from here share them.
import_module(settings.ROOT_URLCONF)
# The garbage collector never walks what is loaded by now: it lives as long as the process.
gc.freeze()
