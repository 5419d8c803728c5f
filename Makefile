# Two commands are enough: `make run` and `make test`. Each sets up .venv when it is missing.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
DEV := $(VENV)/.dev
IS_NEW_ENOUGH := import sys; sys.exit(sys.version_info < (3, 11))
INSTALL := $(BIN)/python -m pip install --disable-pip-version-check \
	--constraint constraints.txt --editable

.PHONY: run test test-bounds lint bench fuzz reference help clean

run: $(READY)  ## Open the page: play, look inside, analyse.
	@$(BIN)/tengen play

test: $(DEV)  ## Run the whole test suite.
	$(BIN)/python -m pytest
	$(MAKE) --no-print-directory test-bounds

test-bounds: $(DEV)  ## Run the kernel tests once more with every array access checked.
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m pytest -m "kernels and not slow"

lint: $(DEV)  ## Check style and types.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(READY)  ## Measure the hot parts, beside C where a C compiler is found.
	$(BIN)/tengen bench playouts --size 9 --peer
	$(BIN)/tengen bench playouts --size 19 --peer
	$(BIN)/tengen bench search --size 9
	$(BIN)/tengen bench search --size 19

fuzz: $(DEV)  ## Feed a million damaged records to the reader.
	$(BIN)/python tests/fuzz_records.py --cases 1000000

reference: $(DEV)  ## Write docs/reference.md anew, from the code.
	$(BIN)/python -m tengen.cli.reference > docs/reference.part
	mv docs/reference.part docs/reference.md

help:  ## Tell what there is to make.
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

clean:  ## Take away .venv and whatever else was made.
	rm -rf $(VENV) build dist src/*.egg-info

# A .venv without pip is what Debian leaves behind where python3-venv is missing.
$(READY): pyproject.toml constraints.txt
	@$(BIN)/python -c 'import pip; $(IS_NEW_ENOUGH)' 2>/dev/null || { \
		$(PYTHON) -c '$(IS_NEW_ENOUGH)' || { \
			echo "tengen: needs Python 3.11 or newer; name one: make run PYTHON=python3.12" >&2; \
			exit 1; }; \
		$(PYTHON) -m venv --clear $(VENV) || { \
			echo "tengen: $(PYTHON) -m venv failed; on Debian and Ubuntu: apt install python3-venv" >&2; \
			exit 1; }; }
	@echo "tengen: installing into $(VENV); this takes some minutes"
	@$(INSTALL) .
	@touch $@

$(DEV): $(READY)
	@echo "tengen: installing what tests and training need; this takes some minutes"
	@$(INSTALL) '.[dev]'
	@touch $@
