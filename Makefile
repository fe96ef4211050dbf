# Every target makes its own environment in .venv first; Python 3.11 or newer and make are enough.
.DEFAULT_GOAL := help
.PHONY: help demo images test endings hostile fuzz lint format bench stubs clean

VENV := .venv
BIN := $(VENV)/bin
PYTHON ?= $(shell for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	"$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo "$$p"; break; }; done)
SOURCES := referee workers arena tests benchmarks sample_bots hatch_build.py

help:
	@echo "make demo    sample bots play a rated tournament on this machine (about half a minute)"
	@echo "make images  make the images that bots are built on (needs a container engine)"
	@echo "make test    run all tests"
	@echo "make endings play every way in which a leg can end, and print the table"
	@echo "make hostile try what hostile bots and uploads try, and print the table (needs an engine)"
	@echo "make fuzz    prove the rules on four times as many cases (five to ten minutes)"
	@echo "make lint    style, types, import rule, proto lint"
	@echo "make bench   measure speed, as ratios against baselines of the same run"

# What users need.
$(VENV)/.ready: pyproject.toml hatch_build.py $(wildcard proto/knockbox/v1/*.proto)
	@test -n "$(PYTHON)" || { echo "Knockbox needs Python 3.11 or newer; none was found on the PATH (set PYTHON=/path/to/python3)." >&2; exit 1; }
	@"$(PYTHON)" -c 'import venv, ensurepip' 2>/dev/null || { echo "Python's venv module is missing; install it first (Debian, Ubuntu: apt-get install python3-venv)." >&2; exit 1; }
	@echo "Setting up $(VENV) with $$("$(PYTHON)" --version) (once; a minute or two)"
	@"$(PYTHON)" -m venv $(VENV)
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

# What developers need on top.
$(VENV)/.ready-dev: $(VENV)/.ready
	@echo "Adding the development tools (once)"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

demo: $(VENV)/.ready
	@$(BIN)/knockbox demo

images:
	@containers/images.sh

test: $(VENV)/.ready-dev
	@$(BIN)/python -m pytest

endings: $(VENV)/.ready-dev
	@$(BIN)/python -m tests.referee.live.endings

hostile: $(VENV)/.ready-dev
	@$(BIN)/python -m tests.hostile

fuzz: $(VENV)/.ready-dev
	@$(BIN)/python -m pytest --hypothesis-profile=fuzz tests/rules tests/referee/test_deck.py

lint: $(VENV)/.ready-dev
	$(BIN)/ruff check $(SOURCES)
	$(BIN)/ruff format --check $(SOURCES)
	$(BIN)/basedpyright
	$(BIN)/lint-imports
	$(BIN)/buf lint
	$(BIN)/buf format --diff --exit-code
	$(BIN)/buf breaking --against proto/baseline.binpb

format: $(VENV)/.ready-dev
	$(BIN)/ruff check --fix $(SOURCES)
	$(BIN)/ruff format $(SOURCES)
	$(BIN)/buf format --write

bench: $(VENV)/.ready-dev
	@$(BIN)/python -m benchmarks

stubs:
	@for script in sample_bots/*/make_stubs.sh; do $$script || exit 1; done

clean:
	rm -rf $(VENV) $(VENV)-stubs knockbox .pytest_cache .hypothesis .ruff_cache .import_linter_cache
