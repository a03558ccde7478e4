# Two commands: `make demo` grades the sample hand-in, `make test` runs everything that CI runs.
# Both set up .venv on the first run, and do nothing to it on the next.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check install -qq

.PHONY: demo test format clean

demo: .venv/ready
	$(BIN)/python grader.py

test: .venv/ready-to-test
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest -n 2 -q

format: .venv/ready-to-test
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean:
	rm -rf .venv .mypy_cache .pytest_cache .ruff_cache .hypothesis

.venv/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "gradecheck needs Python 3.11 or newer: name one with make PYTHON=..."; exit 1; }
	@$(PYTHON) -c 'import ensurepip' || { echo "this Python makes no virtual environments: apt-get install python3-venv"; exit 1; }
	$(PYTHON) -m venv .venv

.venv/ready: pyproject.toml | .venv/bin/python
	@echo "Installing gradecheck into .venv (half a minute, once)"
	$(PIP) -e .
	@touch $@

# The exact pin of torch matters: on machines that keep a CPU build of this version it is taken, and any other
# spec downloads gigabytes of CUDA.
.venv/ready-to-test: pyproject.toml .venv/ready
	@echo "Installing what the tests need, torch among it (a minute or two, once)"
	$(PIP) torch==2.13.0
	$(PIP) -e '.[test]'
	@touch $@
