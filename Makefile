# Needs Python 3.11 and make; everything else is installed into .venv.
PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin

.PHONY: demo test lint types docs build clean

demo: $(VENV)/.app               ## install, then the report of a hung job
	@$(BIN)/ncclscope demo

test: $(VENV)/.dev               ## every test
	$(BIN)/python -m pytest -n auto

lint: $(VENV)/.dev
	$(BIN)/ruff check .

types: $(VENV)/.dev
	$(BIN)/mypy --strict ncclscope

docs: $(VENV)/.app               ## docs/*.md from the declarations
	$(BIN)/python -m ncclscope.docs

build: $(VENV)/.dev              ## wheel and sdist in dist/
	$(BIN)/python -m build --outdir dist .

clean:
	rm -rf $(VENV) dist

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "ncclscope needs Python 3.11 or newer: make PYTHON=python3.11 ...")'
	$(PYTHON) -m venv $(VENV)

$(VENV)/.app: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.dev: pyproject.toml | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@ $(VENV)/.app
