"""Environments of Python for what is installed from outside the checkout."""

import re
import subprocess
import sys
from pathlib import Path

from tests.conftest import ROOT

UV = Path(sys.executable).with_name("uv")
DEADLINE = 600


def make_environment(folder: Path) -> Path:
    """Make an environment of this Python without any package, and return its interpreter."""
    subprocess.run([UV, "venv", "--quiet", "--clear", "--python", sys.executable, folder], check=True, timeout=DEADLINE)
    return folder / "bin" / "python"


def install(python: Path | str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Install packages for an interpreter, as the Makefile does: pip takes over where uv fails."""
    by_uv = [UV, "pip", "install", "--quiet", "--python", python]
    by_pip = [sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-compile"]
    for command in (by_uv, by_pip):
        done = subprocess.run([*command, *arguments], cwd=ROOT, capture_output=True, text=True, timeout=DEADLINE)
        if done.returncode == 0:
            break
    return done


def write_versions(folder: Path) -> Path:
    """Write which versions are tested without their digests, which a wheel of our own has not, and return the file."""
    lines = (ROOT / "requirements" / "run.txt").read_text(encoding="utf-8").splitlines()
    path = folder / "versions.txt"
    path.write_text("\n".join(line.removesuffix(" \\") for line in lines if re.match(r"\w\S*==", line)))
    return path
