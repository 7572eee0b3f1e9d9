# Targets for people and for CI. `make help` lists them.

PORT ?= 8000
# An interpreter other than the usual one has an environment of its own: make quick PYTHON=python3.12
PYTHON :=
# Tests run side by side.
JOBS ?= 2
VENV := .venv$(if $(PYTHON),-$(notdir $(PYTHON)))
BIN := $(VENV)/bin
MANAGE := LOCAL=1 $(BIN)/python manage.py
# Compiled modules are kept, else each start compiles the program again, which takes as long as all the rest.
KEEP_COMPILED := PYTHONDONTWRITEBYTECODE=
PYTEST := LOCAL=1 $(KEEP_COMPILED) $(BIN)/python -m pytest -n $(JOBS) --dist loadfile --no-loadscope-reorder
SERVE = LOCAL=1 $(KEEP_COMPILED) exec $(BIN)/python -m scripts.serve $(PORT)
UV_STAMP := $(VENV)/.uv-installed
RUN_STAMP := $(VENV)/.run-installed
DEV_STAMP := $(VENV)/.dev-installed
BENCH_STAMP := $(VENV)/.bench-installed
AUDIT_STAMP := $(VENV)/.audit-installed
SITE_STAMP := $(VENV)/.site-installed
NODE_STAMP := node_modules/.installed

.DEFAULT_GOAL := help
.PHONY: help install dev demo run quick test container check audit bench load format lock pin screenshots site wheel clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' Makefile

install: $(RUN_STAMP) ## make the environment .venv with what the program needs

demo: $(RUN_STAMP) ## load the demo projects and serve them (PORT=8000)
	@$(MANAGE) upgrade
	@$(MANAGE) load_demo
	@$(SERVE)

run: $(RUN_STAMP) ## serve without demo data (PORT=8000)
	@$(SERVE)

dev: $(DEV_STAMP) ## make the environment with what tests and checks need too

quick: $(DEV_STAMP) ## run the short tests, with a tenth of the random examples (PYTHON=python3.12)
	@$(PYTEST) -m "not slow" --hypothesis-profile quick $(ARGS)

test: $(DEV_STAMP) ## run the tests that a push has to pass, on DATABASE_URL, else SQLite
	@$(PYTEST) $(ARGS)

container: $(DEV_STAMP) ## try the services' commands and bounds, and build the image where Docker or Podman is
	@$(PYTEST) -n 0 tests/repository/test_container.py $(ARGS)

check: $(DEV_STAMP) $(NODE_STAMP) ## lint, types (also of JavaScript), import contracts, migrations, deployment settings, API schema
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	LOCAL=1 $(BIN)/mypy .
	$(BIN)/lint-imports
	node_modules/.bin/biome lint --error-on-warnings
	node_modules/.bin/tsc
	$(MANAGE) makemigrations --check --dry-run
	LOCAL= DEBUG= SECRET_KEY=$$($(BIN)/python -c 'import secrets; print(secrets.token_urlsafe(64))') ALLOWED_HOSTS=coindex.example \
		$(BIN)/python manage.py check --deploy --fail-level WARNING
	$(MANAGE) spectacular --validate --fail-on-warn --file /dev/null

bench: $(BENCH_STAMP) $(DEV_STAMP) ## time the measures beside their peers, the coding page, the dashboard, the server, import and export
	$(BIN)/python -m benchmarks.measures --write docs/benchmarks.md $(ARGS)
	$(BIN)/python -m benchmarks.workbench --write docs/benchmarks-workbench.md
	$(BIN)/python -m benchmarks.dashboard --write docs/benchmarks-dashboard.md
	$(BIN)/python -m benchmarks.server --write docs/benchmarks-server.md
	$(BIN)/python -m benchmarks.bounds --write docs/benchmarks-bounds.md
	$(BIN)/python -m benchmarks.adjudication --write docs/benchmarks-adjudication.md
	$(BIN)/python -m benchmarks.alt_test --write docs/benchmarks-models.md
	$(BIN)/python -m benchmarks.ambiguity --write docs/benchmarks-models.md
	$(BIN)/python -m benchmarks.formats --all --write docs/benchmarks-formats.md

load: $(DEV_STAMP) ## let 200 simulated coders work for two minutes (ARGS="--database sqlite --coders 50 --json")
	@LOCAL=1 $(KEEP_COMPILED) $(BIN)/python -m benchmarks.load $(ARGS)

audit: $(AUDIT_STAMP) ## ask the public databases whether a locked dependency has a known hole (needs the network)
	$(BIN)/pip-audit --strict --require-hashes --disable-pip --requirement requirements/run.txt $(ARGS)
	$(BIN)/pip-audit --strict --require-hashes --disable-pip --requirement requirements/dev.txt $(ARGS)

format: $(DEV_STAMP) ## format the code
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

lock: $(DEV_STAMP) ## compile requirements/ from pyproject.toml
	$(BIN)/uv pip compile --quiet --universal --python-version 3.12 --generate-hashes --no-emit-index-url --no-header \
		--extra client pyproject.toml --output-file requirements/run.txt $(ARGS)
	$(BIN)/uv pip compile --quiet --universal --python-version 3.12 --generate-hashes --no-emit-index-url --no-header \
		--extra dev --constraint requirements/run.txt pyproject.toml --output-file requirements/dev.txt $(ARGS)
	$(BIN)/uv pip compile --quiet --universal --python-version 3.12 --generate-hashes --no-emit-index-url --no-header \
		--extra bench --constraint requirements/run.txt pyproject.toml --output-file requirements/bench.txt $(ARGS)
	$(BIN)/uv pip compile --quiet --universal --python-version 3.12 --generate-hashes --no-emit-index-url --no-header \
		--extra audit --constraint requirements/run.txt pyproject.toml --output-file requirements/audit.txt $(ARGS)
	$(BIN)/uv pip compile --quiet --universal --python-version 3.12 --generate-hashes --no-emit-index-url --no-header \
		--extra site --constraint requirements/dev.txt pyproject.toml --output-file requirements/site.txt $(ARGS)
	$(BIN)/uv pip compile --quiet --universal --python-version 3.12 --generate-hashes --no-emit-index-url --no-header \
		--group install --output-file requirements/install.txt $(ARGS)

pin: $(DEV_STAMP) ## write the digests of the container images behind their tags (needs Docker and the network)
	$(BIN)/python -m scripts.pin_images

screenshots: $(DEV_STAMP) ## take the pictures of docs/ from the running program
	LOCAL=1 $(BIN)/python -m scripts.screenshots $(ARGS)

site: $(SITE_STAMP) ## make a static site of the documents in var/site; a link that leads nowhere is an error
	$(BIN)/python -m sphinx --conf-dir scripts/site --builder html --fail-on-warning --keep-going --quiet \
		--fresh-env --write-all --doctree-dir var/site/.doctrees . var/site $(ARGS)
	@echo "Open var/site/index.html"

wheel: $(DEV_STAMP) ## build the wheels of the program and of the library into dist/; of one commit they are the same, byte by byte
	@rm -rf dist
	@for folder in . agreement/measures; do \
		(cd $$folder && SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct) $(CURDIR)/$(BIN)/python -m hatchling build \
			--target wheel --directory $(CURDIR)/dist) || exit 1; \
	done

clean: ## remove the environment; data in var/ stays
	rm -rf $(VENV) node_modules

$(BIN)/python:
	@python=$$(scripts/find-python $(PYTHON)) && echo "Making $(VENV) with $$python" && "$$python" -m venv $(VENV)

$(UV_STAMP): requirements/install.txt | $(BIN)/python
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes -r requirements/install.txt \
		|| echo "There is no uv for this machine: pip takes its place"
	@touch $@

# Install what a file of requirements locks; pip, which knows mirrors that are set for it alone, takes over where uv fails.
# Packages are compiled when they are imported: most of their modules never are.
install_locked = $(BIN)/uv pip install --quiet --python $(BIN)/python --require-hashes -r $(1) \
	|| $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes -r $(1)

$(RUN_STAMP): requirements/run.txt | $(UV_STAMP)
	@echo "Installing what the program needs"
	@$(call install_locked,requirements/run.txt)
	@touch $@

$(DEV_STAMP): requirements/dev.txt $(RUN_STAMP)
	@echo "Installing what tests and checks need"
	@$(call install_locked,requirements/dev.txt)
	@touch $@

$(BENCH_STAMP): requirements/bench.txt $(RUN_STAMP)
	@echo "Installing what the benchmarks compare with"
	@$(call install_locked,requirements/bench.txt)
	@touch $@

$(AUDIT_STAMP): requirements/audit.txt $(RUN_STAMP)
	@echo "Installing what asks for known holes"
	@$(call install_locked,requirements/audit.txt)
	@touch $@

$(SITE_STAMP): requirements/site.txt $(RUN_STAMP)
	@echo "Installing what makes the site"
	@$(call install_locked,requirements/site.txt)
	@touch $@

$(NODE_STAMP): package.json package-lock.json
	@command -v npm >/dev/null || { echo "make check needs Node 20 with npm (Debian's packages: nodejs npm)" >&2; exit 1; }
	@echo "Installing what checks JavaScript"
	@npm ci --loglevel=error
	@touch $@
