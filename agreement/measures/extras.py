"""Optional packages, each in an extra of the library."""

from importlib import import_module

EXTRAS = {"distributed": "cluster", "duckdb": "parquet", "tqdm": "command"}  # of others it is called as the package


def is_installed(package: str) -> bool:
    """Return whether a package can be imported, and import it."""
    try:
        import_module(package)
    except ImportError:
        return False
    return True


def require(package: str, purpose: str) -> None:
    """Import a package. Raises ImportError, naming the extra, where it is not installed."""
    if not is_installed(package):
        raise ImportError(f"{purpose} needs {package} (extra {EXTRAS.get(package, package)}): pip install {package}")
