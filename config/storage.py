"""The names of static files in production."""

from collections.abc import Iterator
from typing import Any

from django.core.files.base import ContentFile
from rjsmin import jsmin
from whitenoise.storage import CompressedManifestStaticFilesStorage


class ManifestStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Names with a hash of the content, in the imports of JavaScript modules too: old and new never mix."""

    support_js_module_import_aggregation = True
    # The name of a module is known a pass after those of all that it imports; the chains of imports are longer than the
    # default allows.
    max_post_process_passes = 12

    def post_process(self, paths: dict[str, Any], dry_run: bool = False, **options: Any) -> Iterator[Any]:
        """Take comments, types and white space out of our own scripts, then name all files."""
        for name, (storage, path) in () if dry_run else [*paths.items()]:
            if name.startswith("js/") and name.endswith(".js"):
                with storage.open(path) as source:
                    script = jsmin(source.read().decode())
                self.delete(name)  # with `collectstatic --link` it is the source
                self.save(name, ContentFile(script))
                paths[name] = self, name
        yield from super().post_process(paths, dry_run=dry_run, **options)
