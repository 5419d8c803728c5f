# `make run` and `make test` create .venv when it is missing.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DEV := $(VENV)/.dev
IS_NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
INSTALL := $(BIN)/python -m pip install --disable-pip-version-check \
	--constraint constraints.txt --editable

.PHONY: run test test-bounds lint lint-page bench fuzz dist reference results help clean

run: $(READY)  ## Open the page in the browser
	@$(BIN)/tengen play

test: $(DEV)  ## Run all tests
	$(BIN)/python -m pytest
	$(MAKE) --no-print-directory test-bounds

test-bounds: $(DEV)  ## Run the kernel tests with array bounds checks
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m pytest -m "kernels and not slow"

lint: $(DEV)  ## Run ruff and mypy, and check the types of the page if npm is installed
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/mypy --platform win32 --no-warn-unreachable
	@if command -v npm >/dev/null; then $(MAKE) --no-print-directory lint-page; \
		else echo "npm is not installed: the types of the page are not checked"; fi

lint-page: node_modules/.ready  ## Check the types of the page (TypeScript)
	node_modules/.bin/tsc

bench: $(READY)  ## Run the speed benchmarks
	$(BIN)/tengen bench playouts --size 9 --peer
	$(BIN)/tengen bench playouts --size 19 --peer
	$(BIN)/tengen bench search --size 9
	$(BIN)/tengen bench search --size 19

fuzz: $(DEV)  ## Fuzz the record readers with a million damaged files
	$(BIN)/python tests/fuzz_records.py --cases 1000000

dist: $(DEV)  ## Build sdist and wheel, and test the wheel in a clean environment
	$(BIN)/python -m pip install --disable-pip-version-check --quiet \
		--constraint constraints.txt build twine
	rm -rf build dist
	$(BIN)/python -m build
	$(BIN)/python -m twine check --strict dist/*
	$(BIN)/python packaging/check_wheel.py dist/*.whl --output results/installation/packages.csv

reference: $(DEV)  ## Regenerate docs/reference.md
	$(BIN)/python -m tengen.cli.reference > docs/reference.part
	mv docs/reference.part docs/reference.md

results: $(DEV)  ## Regenerate the tables and plots in docs/ from results/
	$(BIN)/python -m tengen.lab.pages docs results

help:  ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

clean:  ## Remove .venv and build files
	rm -rf $(VENV) node_modules build dist src/*.egg-info

# Development tools for the page: TypeScript checks its types, axe-core tests its accessibility.
node_modules/.ready: package.json
	npm install --no-audit --no-fund --no-package-lock --silent
	@touch $@

# Debian leaves a .venv without pip behind when python3-venv is missing.
$(READY): pyproject.toml constraints.txt
	@$(BIN)/python -c 'import pip; $(IS_NEW_ENOUGH)' 2>/dev/null || { \
		$(PYTHON) -c '$(IS_NEW_ENOUGH)' || { \
			echo "tengen: Python 3.11 or newer is required; choose one with: make run PYTHON=python3.12" >&2; \
			exit 1; }; \
		$(PYTHON) -m venv --clear $(VENV) || { \
			echo "tengen: $(PYTHON) -m venv failed; on Debian and Ubuntu: apt install python3-venv" >&2; \
			exit 1; }; }
	@echo "tengen: installing into $(VENV) (a few minutes)"
	@$(INSTALL) '.[nets]'
	@touch $@

$(DEV): $(READY)
	@echo "tengen: installing the development tools (a few minutes)"
	@$(INSTALL) '.[dev]'
	@touch $@
