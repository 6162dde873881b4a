# ragbench: `make help` lists the targets. GNU make 3.81 or newer; on Windows use WSL.
#
# Names in capitals belong to make (PYTHON=, UV=1, TORCH_INDEX=, RUN=, NAME=, A=, B=, ARGS=, PYTEST_ARGS=). Every other key=value on the
# command line goes to ragbench as it stands, in the order given: make sweep chunk_size=200,500,800

SHELL := /bin/sh
.DEFAULT_GOAL := help
.NOTPARALLEL:
.DELETE_ON_ERROR:

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RAGBENCH := $(BIN)/ragbench
OWN := WORKERS PYTHON UV TORCH_INDEX RUN NAME A B ARGS PYTEST_ARGS SHELL VENV BIN GGUF BENCH PEER SPLITTERS LOOP LOOPED SERVED WITH_SERVER RAGBENCH MAKEFLAGS

export RAGAS_DO_NOT_TRACK := true
export MLFLOW_DISABLE_TELEMETRY := true
export ANONYMIZED_TELEMETRY := False
export HF_HUB_DISABLE_TELEMETRY := 1
export DO_NOT_TRACK := true
export PIP_DISABLE_PIP_VERSION_CHECK := 1

# Where the environment forbids bytecode, every process compiles anew what it imports (MLflow alone: 5 s). It is kept
# beside the packages, out of the folders of the source.
unexport PYTHONDONTWRITEBYTECODE
export PYTHONPYCACHEPREFIX := $(CURDIR)/$(VENV)/bytecode

# Overrides: the variables of the command line in their order (make lists the last one first), each as one quoted argument
# of the shell. Names are found by cutting make's own list at blanks and "="; what is not a variable of the command line
# (a piece of a value) drops out. $(value) keeps "$" as typed, and unexport keeps make from expanding it for the shell.
names := $(foreach make.word,$(MAKEOVERRIDES),$(firstword $(subst =, ,$(make.word))))
last_first = $(if $1,$(call last_first,$(filter-out $(firstword $1),$1)) $(firstword $1))
given = $(filter command,$(firstword $(origin $1)))
KEYS := $(foreach make.key,$(filter-out $(OWN),$(call last_first,$(names))),$(if $(call given,$(make.key)),$(make.key)))
OVERRIDES = $(foreach make.key,$(KEYS),'$(make.key)=$(subst ','\'',$(value $(make.key)))')
ifneq ($(strip $(KEYS)),)
unexport $(KEYS)
endif

ifdef UV
PIP := uv pip install -q --python $(BIN)/python -c requirements/constraints.txt $(addprefix --find-links ,$(PIP_FIND_LINKS))
else
PIP := $(BIN)/python -m pip install -q --no-compile -c requirements/constraints.txt
endif

# What is installed is remembered by stamps named after the content of the files that say what to install.
STATE := $(shell cat pyproject.toml setup.py requirements/constraints.txt requirements/torch-cpu.sh | cksum | cut -d ' ' -f 1)
CORE := $(VENV)/.core-$(STATE)
TEST := $(VENV)/.test-$(STATE)$(if $(TORCH_INDEX),-torch)
UI := $(VENV)/.ui-$(STATE)
GGUF := $(VENV)/.gguf-$(STATE)
BENCH := .bench-venv
PEER := $(BENCH)/.context-grid-0.9.5
SPLITTERS := $(BENCH)/.chonkie-1.7.0
LOOP := .loop-venv
LOOPED := $(LOOP)/.rank-bm25-0.2.2
SERVED := .mlflow-venv/.served-$(STATE)
WITH_SERVER := RAGBENCH_MLFLOW_PYTHON=$(CURDIR)/.mlflow-venv/bin/python

# Each worker begins with half of the tests in their order, so that what a module's tests share is made by one of them.
WORKERS := -n 2 --dist worksteal

PRESETS := bm25,dense,hybrid,hybrid_rerank
kept = echo "== ragbench $2" >&2; $(RAGBENCH) $2 $(OVERRIDES) > .ragbench/demo/$1.txt || { cat .ragbench/demo/$1.txt; exit 1; }

.PHONY: help setup demo run sweep experiment compare gate baseline report ui test test-slow test-some-slow lint check bench record clean

help: ## list the targets
	@echo "ragbench: evaluation-first research harness for RAG (zh, en)"
	@echo
	@sed -n 's/^\([a-z-]*\):[^#]*## \(.*\)/  make \1|\2/p' Makefile | while IFS='|' read -r target words; do \
		printf '%-18s %s\n' "$$target" "$$words"; done
	@echo
	@echo "Any key=value is passed on:  make run eval_set=policy_zh alpha=0.3 reranker=late_interaction"
	@echo "Options of each slot:        $(RAGBENCH) ls"

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit("ragbench needs Python 3.11 or newer, found " + sys.version.split()[0] + "; choose one with PYTHON=") if sys.version_info < (3, 11) else None'
	$(PYTHON) -m venv $(VENV)

$(CORE): | $(BIN)/python
	$(PIP) -e '.[chroma]'
	@rm -f $(VENV)/.core-* && touch $@

$(TEST): | $(CORE)
	@sh requirements/torch-cpu.sh $(BIN)/python '$(TORCH_INDEX)' && extras='chroma,code,dev,ragas,st' || extras='chroma,code,dev,ragas'; \
		echo "installing .[$$extras]"; $(PIP) -e ".[$$extras]"
	@rm -f $(VENV)/.test-* && touch $@

# context-grid has an environment of its own: it is compared with, never imported.
$(PEER): | $(CORE)
	$(BIN)/python -m venv $(BENCH)
	$(subst $(BIN)/,$(BENCH)/bin/,$(PIP)) $(patsubst $(BENCH)/.context-grid-%,context-grid==%,$@)
	@touch $@

# langchain-text-splitters and tokenizers are those of the constraints; chonkie has a version of its own.
$(SPLITTERS): | $(PEER)
	$(subst $(BIN)/,$(BENCH)/bin/,$(PIP)) $(patsubst $(BENCH)/.chonkie-%,chonkie==%,$@) langchain-text-splitters tokenizers
	@touch $@

# So does the loop that one writes by hand; langchain-text-splitters and chromadb are those of the constraints.
$(LOOPED): | $(CORE)
	$(BIN)/python -m venv $(LOOP)
	$(subst $(BIN)/,$(LOOP)/bin/,$(PIP)) $(patsubst $(LOOP)/.rank-bm25-%,rank-bm25==%,$@) langchain-text-splitters chromadb
	@touch $@

# MLflow's server has an environment of its own: beside the tests it would make every import of its client slower.
$(SERVED): | $(CORE)
	$(BIN)/python -m venv .mlflow-venv
	$(subst $(BIN)/,.mlflow-venv/bin/,$(PIP)) mlflow
	@touch $@

$(UI): | $(CORE)
	$(PIP) -e '.[chroma,ui]'
	@rm -f $(VENV)/.ui-* && touch $@

$(GGUF): | $(CORE)
	$(PIP) -e '.[chroma,gguf,ragas]'
	@rm -f $(VENV)/.gguf-* && touch $@

setup: $(CORE) ## create .venv with everything the demo needs (no torch)

demo: $(CORE) ## four variants on both shipped eval sets, hybrid once more on Chroma; ends with tables and paths
	@mkdir -p .ragbench/demo
	@$(call kept,1-policy_zh,sweep eval_set=policy_zh variant=$(PRESETS))
	@$(call kept,2-product_en,sweep eval_set=product_en variant=$(PRESETS))
	@$(call kept,3-chroma,run eval_set=policy_zh variant=hybrid index=chroma)
	@for part in .ragbench/demo/?-*.txt; do echo; cat "$$part"; done

run: $(CORE) ## one variant; key=value goes to ragbench
	@$(RAGBENCH) run $(OVERRIDES)

sweep: $(CORE) ## a grid of variants and their comparison; lists as chunk_size=200,500,800
	@$(RAGBENCH) sweep $(OVERRIDES) $(ARGS)

experiment: $(CORE) ## put the claim of NAME=(chunk_size, overlap, splitter, contextual, …) to the test; ends with a verdict
	@$(RAGBENCH) experiment $(if $(NAME),'$(subst ','\'',$(value NAME))') $(OVERRIDES)

compare: $(CORE) ## A= against B= (paths, run ids, latest, or a sweep as A alone); ARGS=--multi where more than one key differs
	@$(RAGBENCH) compare $(foreach make.run,A B,$(if $($(make.run)),'$(subst ','\'',$(value $(make.run)))')) $(ARGS)

gate: $(CORE) ## hold RUN=(default: the latest) against the committed baseline; gate.margin=0.1 and the like are passed on
	@$(RAGBENCH) gate $(if $(value RUN),'$(subst ','\'',$(value RUN))') $(OVERRIDES)

baseline: $(CORE) ## make RUN=(path, run id or latest) the baseline of its eval set
	@$(if $(value RUN),,echo 'Name the run you have looked at: make baseline RUN=(path, run id or latest)' >&2; exit 2;) $(RAGBENCH) baseline set '$(subst ','\'',$(value RUN))' $(OVERRIDES)

report: $(CORE) ## write the HTML report of RUN=(path, run id or latest)
	@$(RAGBENCH) report '$(subst ','\'',$(or $(value RUN),latest))'

ui: $(UI) ## MLflow's user interface on this machine
	@$(RAGBENCH) ui

test: $(TEST) ## the test suite, from a fresh clone too (PYTEST_ARGS=… goes to pytest)
	$(BIN)/python -m pytest $(WORKERS) -m 'not slow' $(PYTEST_ARGS)

test-slow: $(TEST) $(SERVED) ## tests of more than ten seconds
	$(WITH_SERVER) $(BIN)/python -m pytest $(WORKERS) -m slow $(PYTEST_ARGS)

test-some-slow: $(TEST) $(SERVED) ## those of them that do not ask how time or memory grows with large inputs
	$(WITH_SERVER) $(BIN)/python -m pytest $(WORKERS) -m 'slow and not large' $(PYTEST_ARGS)

lint: $(TEST) ## style, format and types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

check: lint test-some-slow test ## what CI runs: style, format, types and all tests but those of large inputs

bench: $(TEST) $(PEER) $(SPLITTERS) $(LOOPED) ## speed: sweeps, growth, the embedder and the splitters, against other programs
	$(BIN)/python benchmarks/sweep.py --peer $(BENCH)/bin/python
	$(BIN)/python benchmarks/peers.py --rounds 1 --peer $(BENCH)/bin/python --loop $(LOOP)/bin/python
	$(BIN)/python benchmarks/fusion_grid.py --rounds 1
	$(BIN)/python benchmarks/scale.py
	$(BIN)/python benchmarks/embedder.py speed
	$(BIN)/python benchmarks/splitters.py --rounds 1 --peer $(BENCH)/bin/python

record: $(GGUF) ## record what stages ask a model about the shipped sets: the file in RAGBENCH_GGUF, or llm=…
	$(BIN)/python benchmarks/record.py $(OVERRIDES)
	$(BIN)/python benchmarks/record_answers.py $(OVERRIDES)
	$(BIN)/python benchmarks/record_judges.py $(OVERRIDES)

clean: ## delete caches and build products; runs, the store and MLflow's data stay
	rm -rf build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis src/ragbench.egg-info
	find src tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +
