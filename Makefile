# Everything that a machine needs beyond Python 3.11, git and make is fetched by these targets.
PYTHON ?= python3
BIN := .venv/bin
SET_UP := .venv/.set-up

# Small matrices gain nothing from threads that wait for each other.
export OPENBLAS_NUM_THREADS := 1
export NO_MKDOCS_2_WARNING := 1

.DEFAULT_GOAL := help
.PHONY: help serve test build check check-js verify bench clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

serve: $(SET_UP) ## serve the site, rebuilt when a file changes (HOST=0.0.0.0 for a campus network)
	$(BIN)/python tools/serve.py

test: $(SET_UP) check ## every test, in a real browser too
	$(BIN)/python tools/get_browser.py
	$(BIN)/python -m pytest

build: $(SET_UP) ## the finished site, in site/
	$(BIN)/mkdocs build

check: $(SET_UP) ## style and types
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

check-js: node_modules ## style and types of the scripts (needs Node.js)
	npx biome check
	npx tsc

verify: $(SET_UP) ## transformer_core and the snippets of the pages against PyTorch, which this installs (CPU)
	$(BIN)/python -m pip install --quiet 'torch==2.13.0'
	$(BIN)/python -m pytest tests/verify

bench: $(SET_UP) ## ratios: speed, memory, bytes
	$(BIN)/python tools/get_browser.py
	for script in benchmarks/*.py; do echo "== $$script"; $(BIN)/python $$script || exit 1; done

clean: ## what was built; downloads stay
	rm -rf site docs/assets/generated build *.egg-info

$(SET_UP): requirements.txt pyproject.toml
	@$(PYTHON) -c 'import sys; v = sys.version_info; v >= (3, 11) or sys.exit("this needs Python 3.11 or newer; %s is %d.%d. Name another: make PYTHON=python3.12 ..." % (sys.executable, v[0], v[1]))'
	@echo "Setting up .venv (once; a minute or two)"
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --disable-pip-version-check --quiet pip==26.3
	$(BIN)/python -m pip install --disable-pip-version-check -r requirements.txt
	$(BIN)/python -m pip install --disable-pip-version-check --quiet --no-deps --no-build-isolation --editable .
	@touch $@

node_modules: package.json
	npm install --no-fund --no-audit
	@touch $@
