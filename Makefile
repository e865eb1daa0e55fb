# `make demo` and `make test` do all set-up by themselves: Python 3.11 or newer and make are enough.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
PYTEST_ARGS ?= -n auto

.PHONY: demo test lint lock clean help

help:
	@echo "make demo   play the bundled session through the whole pipeline and open its page"
	@echo "make test   run the tests"
	@echo "make lint   ruff, mypy, import contracts"
	@echo "make lock   pin the dependencies anew (needs uv)"

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "veedor needs Python 3.11 or newer; name one with PYTHON=…" >&2; exit 2; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: requirements/run.txt pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/run.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --editable .
	@touch $@

$(VENV)/.dev: requirements/dev.txt $(VENV)/.run
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	@touch $@

demo: $(VENV)/.run
	$(BIN)/veedor demo $(DEMO_ARGS)

test: $(VENV)/.dev
	$(BIN)/python -m pytest $(PYTEST_ARGS)

lint: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

lock:
	uv pip compile pyproject.toml --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url -q -o requirements/run.txt
	uv pip compile pyproject.toml --extra dev --universal --python-version 3.11 --generate-hashes --no-header --no-annotate --no-emit-index-url -q -o requirements/dev.txt

clean:
	rm -rf $(VENV) dist build
