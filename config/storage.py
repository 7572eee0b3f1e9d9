"""The names of static files in production."""

from collections.abc import Iterator
from typing import Any

from django.core.files.base import ContentFile
from rjsmin import jsmin
from whitenoise.storage import CompressedManifestStaticFilesStorage


class ManifestStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Names with a hash of the content, also in imports of JavaScript modules: old and new versions never mix."""

    support_js_module_import_aggregation = True
    # A module gets its name one pass after all modules that it imports, and import chains are longer than the default.
    max_post_process_passes = 12

    def post_process(self, paths: dict[str, Any], dry_run: bool = False, **options: Any) -> Iterator[Any]:
        """Remove comments, types and white space from our own scripts, then name all files."""
        for name, (storage, path) in () if dry_run else [*paths.items()]:
            if name.startswith("js/") and name.endswith(".js"):
                with storage.open(path) as source:
                    script = jsmin(source.read().decode())
                self.delete(name)  # with `collectstatic --link` this is the source file
                self.save(name, ContentFile(script))
                paths[name] = self, name
        yield from super().post_process(paths, dry_run=dry_run, **options)
