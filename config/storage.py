"""The names of static files in production."""

from whitenoise.storage import CompressedManifestStaticFilesStorage


class ManifestStorage(CompressedManifestStaticFilesStorage):  # type: ignore[misc]
    """Names with a hash of the content, in the imports of JavaScript modules too: old and new never mix."""

    support_js_module_import_aggregation = True
    # The name of a module is known a pass after those of all that it imports; the chains of imports are longer than the
    # default allows.
    max_post_process_passes = 12
