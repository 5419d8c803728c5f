# Two commands are enough: `make run` and `make test`. Each sets up .venv when it is missing.

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready

.PHONY: run test test-bounds lint bench fuzz reference clean

run: $(READY)  ## Open the page: play, look inside, analyse.
	@$(BIN)/tengen play

test: $(READY)  ## Run the whole test suite.
	$(BIN)/python -m pytest
	$(MAKE) --no-print-directory test-bounds

test-bounds: $(READY)  ## Run the kernel tests once more with every array access checked.
	NUMBA_BOUNDSCHECK=1 $(BIN)/python -m pytest -m "kernels and not slow"

lint: $(READY)  ## Check style and types.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: $(READY)  ## Measure the hot parts, beside C where a C compiler is found.
	$(BIN)/tengen bench playouts --size 9 --peer
	$(BIN)/tengen bench playouts --size 19 --peer
	$(BIN)/tengen bench search --size 9
	$(BIN)/tengen bench search --size 19

fuzz: $(READY)  ## Feed a million damaged records to the reader.
	$(BIN)/python tests/fuzz_records.py --cases 1000000

reference: $(READY)  ## Write docs/reference.md anew, from the code.
	$(BIN)/python -m tengen.cli.reference > docs/reference.part
	mv docs/reference.part docs/reference.md

$(READY): pyproject.toml constraints.txt
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "tengen: installing into $(VENV)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check \
		--constraint constraints.txt --editable '.[dev]'
	@touch $@

clean:
	rm -rf $(VENV) build dist src/*.egg-info
