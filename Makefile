# liarsdice: `make play` and `make terminal` are for players, the others for contributors.
# Everything is installed into .venv, once; a stamp there is renewed when a requirement changes.
# The page in the browser is rebuilt when web/ changes; SKIP_WEB=1 skips it.

PYTHON ?= python3
ARGS ?=
PYTHONS ?=
PYTEST_ARGS ?= -n 3 --dist worksteal
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check
# Modules are compiled when they are first imported: most of those that the extras bring never are.
INSTALL := SKIP_WEB=1 $(PIP) install --quiet --no-compile --constraint constraints.txt --editable
NPM := $(BIN)/python hatch_build.py npm --silent
PAGE := src/liarsdice/server/page/built-from.txt
WEB := hatch_build.py $(shell find web -name node_modules -prune -o -print)
BENCHMARKS := start_up engine server simulate environments solve
REQUIREMENTS := pyproject.toml constraints.txt

.DEFAULT_GOAL := help
.PHONY: help play terminal test pytest precompile lint types page-check page-test setup check format pages screenshots
.PHONY: docs bench pins wheel wheel-check clean

help:
	@echo "make play    set up, serve the table and open it in a browser (ARGS=... goes to liarsdice serve)"
	@echo "make terminal  set up and play in the terminal (ARGS=... goes to liarsdice play)"
	@echo "make test    set up and run lint, types, import rules, spelling and all tests"
	@echo "make check   run what continuous integration runs"
	@echo "make format  let ruff and prettier fix what they can"
	@echo "make pages   regenerate the types and words of the page in the browser"
	@echo "make screenshots  take pictures of every screen into screenshots/, and that of the README"
	@echo "make docs    build the documentation into site/"
	@echo "make bench   run the benchmarks and save the figures in benchmarks/results/"
	@echo "make pins    update constraints.txt to the newest releases"
	@echo "make wheel   build the package with the page into dist/, to install elsewhere with pip"
	@echo "make wheel-check  install the built wheel for each of PYTHONS in empty folders, and use it there"
	@echo "make clean   remove everything that was made"

play: $(VENV)/.play $(PAGE)
	@$(BIN)/liarsdice serve --open $(ARGS)

terminal: $(VENV)/.play
	@$(BIN)/liarsdice play $(ARGS)

test: lint page-test precompile
	@$(MAKE) --no-print-directory pytest

pytest: $(VENV)/.setup $(PAGE)
	$(BIN)/python -m pytest $(PYTEST_ARGS)

# What the tests would otherwise compile several times, in processes that start at the same time.
precompile: $(VENV)/.setup
	@$(BIN)/python -m tests.precompile
	@$(BIN)/python -m pytest --collect-only -qq > /dev/null || true # the run itself reports what cannot be imported

# The parts of `lint` may run side by side: make -j2 lint.
lint: $(VENV)/.setup types page-check
	$(BIN)/ruff check --quiet
	$(BIN)/ruff format --check --quiet
	$(BIN)/lint-imports --no-logo
	$(BIN)/codespell

types: $(VENV)/.setup
	$(BIN)/mypy

page-check: $(VENV)/.setup $(PAGE)
	$(BIN)/python -m docs.protocol
	$(NPM) run check

page-test: $(VENV)/.setup $(PAGE)
	$(NPM) test

# All that the other targets install and build, one after another: two installations at once would be in each other's way.
setup: $(VENV)/.setup
	@$(MAKE) --silent --no-print-directory $(PAGE)

check:
	.ci/run

format: $(VENV)/.setup
	$(BIN)/ruff check --fix-only --quiet
	$(BIN)/ruff format
	$(NPM) run format

pages: $(VENV)/.setup
	$(BIN)/python -m docs.page_words
	$(BIN)/python -m docs.licences_page
	$(BIN)/python -m docs.protocol
	$(NPM) run types

screenshots: $(VENV)/.setup $(PAGE)
	$(BIN)/python -m tests.browser.screenshots

docs: $(VENV)/.docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

bench: $(VENV)/.research
	@for what in $(BENCHMARKS); do $(BIN)/python -m benchmarks.$$what || exit 1; done

pins: $(BIN)/python
	$(BIN)/python -m venv $(VENV)/pins
	$(VENV)/pins/bin/python -m pip install --quiet uv
	$(VENV)/pins/bin/uv pip compile pyproject.toml --universal --all-extras --python-version 3.11 \
		--upgrade --strip-extras --no-header --no-annotate --no-emit-index-url --quiet --output-file constraints.txt

wheel: $(PAGE)
	@$(PIP) wheel --quiet --no-deps --wheel-dir dist .
	@ls dist/*.whl

wheel-check: $(VENV)/.setup $(PAGE)
	@$(BIN)/python -m tests.wheel_check $(PYTHONS)

clean:
	rm -rf $(VENV) build dist site web/node_modules $(dir $(PAGE)) .mypy_cache .pytest_cache .ruff_cache .import_linter_cache .hypothesis
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

$(BIN)/python:
	@command -v $(PYTHON) >/dev/null || { echo "$(PYTHON) was not found; say which Python to use: make PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -c 'import sys; v = "%d.%d" % sys.version_info[:2]; sys.exit(sys.version_info < (3, 11) and "liarsdice needs Python 3.11 or newer, but $(PYTHON) is " + v + "; name another: make PYTHON=python3.12")'
	@$(PYTHON) -m venv $(VENV) || { rm -rf $(VENV); echo "no virtual environment could be made; on Debian and Ubuntu: apt install python3-venv"; exit 1; }

$(PAGE): $(WEB) | $(BIN)/python
	@$(BIN)/python hatch_build.py

$(VENV)/.play: $(REQUIREMENTS) | $(BIN)/python
	$(INSTALL) '.[table,terminal]'
	@touch $@

$(VENV)/.research: $(REQUIREMENTS) | $(BIN)/python
	$(INSTALL) '.[research,table,terminal]'
	@touch $@ $(VENV)/.play

$(VENV)/.docs: $(REQUIREMENTS) | $(BIN)/python
	$(INSTALL) '.[docs,table,terminal]'
	@touch $@ $(VENV)/.play

$(VENV)/.setup: $(REQUIREMENTS) | $(BIN)/python
	@$(INSTALL) '.[dev,docs]'
	@touch $@ $(VENV)/.docs $(VENV)/.play
