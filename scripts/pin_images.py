"""Pin the newest digest of each image in Dockerfile and docker-compose.yml: make pin."""

import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

FILES = ("Dockerfile", "docker-compose.yml")
# Our own image has no tag and is built here.
IMAGE = re.compile(r"^(\s*(?:FROM|image:) )([\w./-]+:[\w.-]+)(?:@sha256:[0-9a-f]{64})?\s*$", re.MULTILINE)
DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


def look_up(image: str) -> str:
    """Return the digest of the image for all architectures, from its registry. Raise SystemExit if there is none."""
    command = ["docker", "buildx", "imagetools", "inspect", image, "--format", "{{.Manifest.Digest}}"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        raise SystemExit("Images are looked up by Docker's command, which is not here.") from None
    digest = done.stdout.strip()
    if done.returncode or not DIGEST.fullmatch(digest):
        raise SystemExit(f"{image}: its digest cannot be looked up. {done.stderr.strip()}")
    return digest


def pin(text: str, digest_of: Callable[[str], str]) -> str:
    """Return the text with the digest of each image."""
    return IMAGE.sub(lambda match: f"{match[1]}{match[2]}@{digest_of(match[2])}", text)


def main(folder: Path) -> None:
    """Pin the images of the files in the folder: all of them or none."""
    pinned = {folder / name: pin((folder / name).read_text(encoding="utf-8"), look_up) for name in FILES}
    for path, text in pinned.items():
        path.write_text(text, encoding="utf-8")
        for _, image in re.findall(r"^(\s*(?:FROM|image:) )(\S+@\S+)", text, re.MULTILINE):
            print(f"{path.name}: {image}")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
