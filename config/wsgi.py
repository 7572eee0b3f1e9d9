"""The WSGI application that gunicorn serves."""

import os
from importlib import import_module

from django.conf import settings
from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
application = get_wsgi_application()
# Import URL map and views before the first request: processes forked from here share them.
import_module(settings.ROOT_URLCONF)
