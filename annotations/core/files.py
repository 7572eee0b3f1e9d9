"""Writing files atomically."""

import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import IO


def write_whole[Result](path: Path, write: Callable[[IO[bytes]], Result]) -> Result:
    """Call `write` to fill a file that appears only once it is complete. Raise OSError if it cannot be written."""
    handle, partial = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            result = write(file)
            file.flush()
            os.fsync(file.fileno())
        Path(partial).replace(path)
    except BaseException:
        Path(partial).unlink(missing_ok=True)
        raise
    return result
