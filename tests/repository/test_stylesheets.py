"""The style sheets: layers, names of classes, tokens; pages and styles know the same classes."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
STYLES = sorted((ROOT / "static" / "css").rglob("*.css"))
PAGES = {
    "agreement": "agreement",
    "coding": "coding",
    "datasheet": "datasheet",
    "docsets": "docset",
    "guidelines": "guidelines",
    "help": "help",
    "plan": "plan",
    "progress": "progress",
    "pyramid": "pyramid",
    "queue": "queue",
    "scheme": "scheme",
    "texts": "texts",
    "training": "training",
    "workbench": "workbench",
}
LAYERS = {
    "tokens": {"tokens"}, "base": {"base"}, "forms": {"base", "components"}, "tables": {"base", "components"},
    **{name: {"components"} for name in ("buttons", "cards", "charts", "text")},
    **{name: {"pages"} for name in PAGES},
}  # fmt: skip
# Scripts find these by their class; they look like their surroundings.
HOOKS = {"coding-chain-count", "coding-chain-more", "coding-chain-none"}
PLAIN = {"line-1", "depth-1"}  # the first of a numbered look is that of no number
LITERAL = r"""(?:"[^"\n]*"|`[^`\n]*`)"""
SCRIPTS = sorted((ROOT / "static" / "js").rglob("*.js"))
TEMPLATES = sorted((ROOT / "templates").rglob("*.html"))
PYTHON = [*(ROOT / "annotations").rglob("*.py"), *(ROOT / "agreement").rglob("*.py")]


def rules(path: Path) -> str:
    """Return a style sheet without its comments."""
    return re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.DOTALL)


def selectors(path: Path) -> list[str]:
    """Return the selectors of a style sheet, those of a list one by one."""
    heads = re.findall(r"([^{};]+)\{", rules(path))
    lists = [head.strip() for head in heads if not head.strip().startswith("@")]
    return [one.strip() for each in lists for one in re.split(r",(?![^(]*\))", each)]


def classes(selector: str) -> list[str]:
    return re.findall(r"\.([a-z][\w-]*)", selector)


def defined(paths: list[Path] = STYLES) -> set[str]:
    return {name for path in paths for selector in selectors(path) for name in classes(selector)}


def names_in(text: str) -> set[str]:
    """Return the whole class names of a class attribute; a null character stands for the value of a variable."""
    return {name for name in re.findall(r"[^\s\"`]+", text) if re.fullmatch(r"[a-z][\w-]*\w", name)}


def used_in_template(text: str) -> set[str]:
    text = re.sub(r"\{%.*?%\}", " ", re.sub(r"\{\{.*?\}\}", "\x00", text))
    return {name for each in re.findall(r'(?<![\w-])class="([^"]*)"', text) for name in names_in(each)}


def used_in_script(text: str) -> set[str]:
    """Return the classes of element(tag, classes), className and classList, and those of selectors."""
    places = re.findall(rf"\belement\([^,\n]+, ({LITERAL})|className = ({LITERAL})|classList\.\w+\(({LITERAL})", text)
    found = {name for place in places for literal in place for name in names_in(re.sub(r"\$\{.*", "\x00", literal))}
    queries = re.findall(rf"(?:querySelector|querySelectorAll|closest|matches)\(({LITERAL})", text)
    return found | {name for query in queries for name in classes(query)}


@pytest.mark.parametrize("path", STYLES, ids=lambda path: path.stem)
def test_every_rule_is_in_a_layer_of_its_file(path):
    depth, layers = 0, set()
    for head, brace in re.findall(r"([^{}]*)([{}])", rules(path)):
        if depth == 0:
            declared = head.rpartition(";")
            assert not declared[0] or (
                path.stem == "tokens" and "@layer tokens, base, components, pages" in declared[0]
            )
            layer = re.fullmatch(r"@layer (\w+)", declared[2].strip())
            assert layer, f"outside of a layer: {head.strip()}"
            layers.add(layer[1])
        depth += 1 if brace == "{" else -1
    assert layers == LAYERS[path.stem]


@pytest.mark.parametrize("name", PAGES)
def test_the_rules_of_a_family_of_pages_begin_with_its_name(name):
    """States (is-...) and classes that all pages share stand under a class of the family only."""
    [path] = [one for one in STYLES if one.stem == name]
    prefix = PAGES[name]
    shared = defined([one for one in STYLES if one.stem not in PAGES])
    shared |= defined([one for one in STYLES if one.stem == "workbench"]) if name in ("coding", "pyramid") else set()
    for selector in selectors(path):
        own = [one for one in classes(selector) if one == prefix or one.startswith(f"{prefix}-")]
        assert own or selector.startswith(("::highlight(", "#")), f"{selector} has no class of {prefix}"
        foreign = set(classes(selector)) - set(own) - shared
        assert all(one.startswith("is-") for one in foreign), f"{selector}: {foreign}"


@pytest.mark.parametrize("path", [path for path in STYLES if path.stem != "tokens"], ids=lambda path: path.stem)
def test_colours_and_pixels_are_tokens(path):
    blocks = " ".join(re.findall(r"\{([^{}]*)\}", rules(path)))
    assert not re.findall(
        r"#[0-9a-fA-F]{3,8}\b|\b(?:rgb|hsl|hwb|lab|lch|oklab|oklch|light-dark)a?\(|:\s*(?:white|black|red|green|blue|gr[ae]y)\b|\b[1-9][\d.]*px\b",
        blocks,
    )


def test_every_class_of_a_page_is_defined():
    known = defined() | HOOKS | PLAIN
    unknown = [(path.name, name) for path in TEMPLATES for name in used_in_template(path.read_text()) - known]
    unknown += [(path.name, name) for path in SCRIPTS for name in used_in_script(path.read_text()) - known]
    assert unknown == []


def test_every_defined_class_is_used():
    """As a word of a template, a script or Python; of numbered ones the name before the number."""
    words = set()
    for path in [*TEMPLATES, *SCRIPTS, *PYTHON]:
        words.update(re.findall(r"(?<![\w-])[a-z][\w-]*", path.read_text()))
    unused = {name for name in defined() if name not in words and re.sub(r"\d+$", "", name) not in words}
    assert unused == set()
