"""Preload links of a page: exactly the modules that its main module imports."""

import re
import shutil
import subprocess
from urllib.parse import urljoin

import pytest
from django.conf import settings as project
from django.core.management import call_command
from django.templatetags.static import static

from annotations.templatetags.modules import imported_modules, modulepreload
from tests.shared.skipping import skip_or_fail_in_ci

STATIC = project.BASE_DIR / "static"
WORKBENCHES = ("coding", "pyramid")


def imports(main, read):
    """Return the addresses of the main module and of all modules that it imports by `from`."""
    found, ahead = set(), [main]
    while ahead:
        address = ahead.pop()
        if address not in found:
            found.add(address)
            code = "\n".join(
                line for line in read(address).splitlines() if not line.lstrip().startswith(("//", "/*", "*"))
            )
            ahead += [urljoin(address, name) for name in re.findall(r'\bfrom\s*"(\.{1,2}/[^"]+)"', code)]
    return found


@pytest.fixture(scope="module")
def static_folder(tmp_path_factory):
    return tmp_path_factory.mktemp("static")


@pytest.fixture
def collected(settings, static_folder):
    """Return the folder of the static files as collected for production."""
    settings.STATIC_ROOT = static_folder
    settings.STATICFILES_FINDERS = ["django.contrib.staticfiles.finders.FileSystemFinder"]
    settings.STORAGES = settings.STORAGES | {"staticfiles": {"BACKEND": "config.storage.ManifestStorage"}}
    if not any(static_folder.iterdir()):
        call_command("collectstatic", interactive=False, verbosity=0)
    return static_folder


def preload_links(workbench):
    return re.findall(r'<link rel="modulepreload" href="([^"]+)">', modulepreload(f"js/{workbench}/main.js"))


@pytest.mark.parametrize("workbench", WORKBENCHES)
def test_page_preloads_exactly_its_imported_modules(workbench):
    links = preload_links(workbench)
    assert len(links) == len(set(links)) > 20
    assert links[0] == f"/static/js/{workbench}/main.js"
    assert set(links) == imports(links[0], lambda address: (STATIC / address.removeprefix("/static/")).read_text())


@pytest.mark.parametrize(("workbench", "limit"), [("coding", 171_000), ("pyramid", 153_000)])
def test_scripts_of_page_stay_small(workbench, limit):
    modules = [STATIC / address.removeprefix("/static/") for address in preload_links(workbench)]
    assert sum(path.stat().st_size for path in [*modules, STATIC / "js/theme.js"]) < limit


@pytest.mark.slow
@pytest.mark.parametrize("workbench", WORKBENCHES)
def test_production_links_have_hashed_names_of_imports(workbench, collected):
    links = preload_links(workbench)
    assert re.fullmatch(rf"/static/js/{workbench}/main\.[0-9a-f]{{12}}\.js", links[0])
    assert set(links) == imports(links[0], lambda address: (collected / address.removeprefix("/static/")).read_text())


@pytest.mark.slow
def test_production_modules_are_valid_without_comments(collected):
    if shutil.which("node") is None:
        skip_or_fail_in_ci("Node.js is missing: install nodejs")
    for module in (STATIC / "js").rglob("*.js"):
        served = collected / static(f"js/{module.relative_to(STATIC / 'js')}").removeprefix("/static/")
        assert served.stat().st_size < module.stat().st_size
        assert "@import" not in served.read_text()
        subprocess.run(["node", "--input-type=module", "--check", "-"], input=served.read_bytes(), check=True)


def test_missing_module_raises_error():
    with pytest.raises(FileNotFoundError, match=r"static/js/none/main\.js"):
        imported_modules("js/none/main.js")
