"""Preload links, by which a browser fetches all modules of a page at once instead of one after the other."""

import re
from functools import cache
from pathlib import Path
from posixpath import dirname, join, normpath

from django import template
from django.conf import settings
from django.contrib.staticfiles import finders
from django.templatetags.static import static
from django.utils.html import format_html_join
from django.utils.safestring import SafeString

register = template.Library()

IMPORT = re.compile(r'^(?:import|export)\b[^;"]*?\bfrom "(\.[^"]+)";', re.MULTILINE)


@register.simple_tag
def modulepreload(*mains: str) -> SafeString:
    """Return a link for each of the modules under static/ and for all that they import, directly or through others."""
    # Dynamic imports, `import("…")`, are left out: they are fetched when they are needed, unless the page names them.
    modules = imported_modules(*mains) if settings.DEBUG else cached_modules(*mains)
    return format_html_join("\n  ", '<link rel="modulepreload" href="{}">', ((static(name),) for name in modules))


def imported_modules(*mains: str) -> tuple[str, ...]:
    """Return the names of the modules and of all that they import, read from the files."""
    names = [*mains]
    for name in names:
        path = finders.find(name)
        if not isinstance(path, str):
            raise FileNotFoundError(f"there is no module static/{name}")
        imports = [normpath(join(dirname(name), module)) for module in IMPORT.findall(Path(path).read_text())]
        names += [module for module in dict.fromkeys(imports) if module not in names]
    return tuple(names)


cached_modules = cache(imported_modules)
