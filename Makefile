# Everything here needs Python 3.11 or newer and make, nothing else; README has the way without make.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
READY := $(VENV)/.ready
BOTS := $(VENV)/.ready-bots
TESTS := $(VENV)/.ready-tests
BOT ?= duplex
PORT ?= 7860
TURNS ?= 1000
SEED ?= 1

.DEFAULT_GOAL := help
.PHONY: help setup demo bot test gate lint soak bench release-check lock clean

help: ## This list
	@sed -n 's/^\([a-z-]*\):.*## /  make \1	/p' $(MAKEFILE_LIST)

setup: $(BOTS) ## A virtual environment with everything, embedded speech included

$(READY): pyproject.toml constraints.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "Python 3.11 or newer is needed, and '$(PYTHON)' is not: make PYTHON=python3.12 $(MAKECMDGOALS)" >&2; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || { \
	  echo "This Python cannot make virtual environments; on Debian or Ubuntu: apt-get install python3-venv" >&2; exit 1; }
	@test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	@echo "Installing into $(VENV); the first time takes a minute or two"
	@$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1"
	@$(BIN)/python -m pip install --quiet --constraint constraints.txt --group dev --editable ".[embedded]" || { \
	  echo "If a package cannot be found for this machine: README, 'Where it runs'" >&2; exit 1; }
	@touch $@

$(BOTS): $(READY)
	@echo "Installing what the bots need beside it: the web server and the vendors' packages"
	@$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[embedded,server,deepgram,cartesia,daily]"
	@touch $@

$(TESTS): $(BOTS)
	@echo "Installing what the tests need beside it: the second recogniser, 250 MB"
	@$(BIN)/python -m pip install --quiet --constraint constraints.txt --editable ".[embedded,server,deepgram,cartesia,daily,whisper]"
	@touch $@

demo: $(READY) ## Conversations through a real pipeline, with no key (ARGS="--fast")
	@$(BIN)/jev-turn demo $(ARGS)

bot: $(BOTS) ## A bot to talk to in the browser, keys or not (BOT=finish_turn PORT=7861)
	@JEV_TURN_OPEN=1 $(BIN)/python bots/$(BOT).py --port $(PORT) $(ARGS)

test: $(TESTS) ## The test suite (ARGS="-k gate")
	@$(BIN)/pytest $(ARGS)

gate: $(READY) ## The rules of both ways of taking turns, in a sandbox, in under a second
	@$(BIN)/pytest -q -m gate tests/turn tests/replies $(ARGS)

lint: $(BOTS) ## Style, types, questions and policy
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/mypy tests bots examples
	$(BIN)/jev-turn lint

soak: $(READY) ## Random conversations, checked from outside (TURNS=1000 SEED=1)
	@$(BIN)/jev-turn soak --turns $(TURNS) --seed $(SEED) $(ARGS)

bench: $(READY) ## What a call costs
	@$(BIN)/jev-turn bench --cpu $(ARGS)

release-check: $(BOTS) ## Archives, metadata, a clean installation, the dependencies
	@tests/release/run.sh $(BIN)/python

lock: ## Renews uv.lock and constraints.txt; needs uv
	uv lock
	uv export --quiet --frozen --extra embedded --extra whisper --extra server --extra deepgram --extra cartesia --extra daily --group dev --no-hashes --no-annotate --no-header \
	  --no-emit-project --output-file constraints.txt

clean: ## Removes what the other targets made
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	rm -f demo/*.jsonl demo/*.html demo/*.wav demo/*.json
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
