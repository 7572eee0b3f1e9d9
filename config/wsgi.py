"""The WSGI application that gunicorn serves."""

import gc
import os
from importlib import import_module

from django.conf import settings
from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
application = get_wsgi_application()
# Import URL map and views before the first request, so that forked processes share them.
import_module(settings.ROOT_URLCONF)
# Exclude everything loaded so far from garbage collection: it lives as long as the process.
gc.freeze()
