# `make run` starts everything on this machine; `make test` is all that CI runs.

SHELL := /bin/bash
.SHELLFLAGS := -eu -o pipefail -c
.DEFAULT_GOAL := help
.NOTPARALLEL:
MAKEFLAGS += --no-print-directory

# CI clones anew each time; what cargo built outlives the clone.
ifdef CI
export CARGO_TARGET_DIR ?= $(or $(XDG_CACHE_HOME),$(HOME)/.cache)/carryover/target
endif
target := $(or $(CARGO_TARGET_DIR),target)

# State and virtual environments belong to the checkout, wherever cargo builds.
local := target/local
requirements = $(shell cksum < infra/local/$(1) | cut -d ' ' -f 1)
stack-venv := $(local)/venv/.made-$(call requirements,requirements.txt)
lint-venv := $(local)/lint-venv/.made-$(call requirements,requirements-lint.txt)
lint := $(local)/lint-venv/bin

# Every call of cargo names the whole workspace, so that all of them agree on features and share what they built.
build := cargo build --workspace
functions := reply summarizer retainer notifier eraser console
bins := $(addprefix --bin ,$(functions))
nextest := $(shell cargo nextest --version >/dev/null 2>&1 && echo yes)
run-tests := $(if $(nextest),cargo nextest run --workspace --no-fail-fast,cargo test --workspace --no-fail-fast)

.PHONY: help
help: ## Shows this.
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  make \1\t\2/p' Makefile | expand -t 20

# Installs itself under the user's cache, once for each pinned version.
hindsight := python3 infra/local/hindsight.py

.PHONY: run
run: $(stack-venv) ## Runs the whole deployment on this machine (PORT=, MODEL_URL=, REPLY_MODEL=, MEMORY=hindsight, …).
	@$(if $(filter hindsight,$(MEMORY)),$(hindsight) setup)
	@$(build) --bin carryover $(bins)
	@exec env CARRYOVER_BUILT=1 $(target)/debug/carryover run

.PHONY: clean-data
clean-data: ## Forgets the state of `make run`: conversations, facts, secrets.
	@! test -e $(local)/outputs.json || { echo "A stack runs here: stop it first (or remove $(local)/outputs.json)."; exit 1; }
	rm -rf $(addprefix $(local)/,state tmp artifacts hindsight outputs.json secrets.json port functions.log stack.log)

.PHONY: test
test: lint unit-tests hindsight-tests stack-tests browser-tests ## Checks and tests everything, as CI does.
	@test -d ../shared || echo 'data tests not run: ../shared is missing'

.PHONY: lint
lint: $(lint-venv) ## Checks format, lints and the template.
	cargo fmt --all --check
	$(lint)/cfn-lint template.yaml
	SAM_CLI_TELEMETRY=0 $(lint)/sam validate --lint --region us-east-1
	cargo clippy --workspace --all-targets --quiet -- -D warnings
	cargo clippy --workspace --test stack --test bank_hindsight --quiet -- -D warnings

.PHONY: unit-tests
unit-tests: ## Runs what needs no stack, a real llama.cpp server included.
	tests/llama/setup.sh
	$(run-tests)
	cargo test --workspace --doc --quiet

.PHONY: hindsight-tests
hindsight-tests: ## Runs the tests of the memory bank against a Hindsight server of their own.
	$(hindsight) setup
	$(hindsight) with $(run-tests) --test bank_hindsight

.PHONY: stack-tests
stack-tests: $(stack-venv) ## Runs the black-box tests against a stack of their own.
	$(hindsight) setup
	$(build) --bin carryover $(bins) --bin with-stack
	$(target)/debug/with-stack $(run-tests) --test stack

.PHONY: browser-tests
browser-tests: $(stack-venv) ## Runs the console's tests in a browser, against a stack of their own.
	tests/browser/setup.sh
	$(build) --bin carryover $(bins) --bin with-stack
	$(target)/debug/with-stack node --test --test-concurrency=2 tests/browser/*.test.mjs

.PHONY: bench
bench: ## Measures what a turn and a fold cost, beside their bounds.
	cargo build --release --workspace $(bins) --bin bare-function --bin bench
	$(target)/release/bench $(target)/release

.PHONY: readme-check
readme-check: $(stack-venv) ## Checks that the transcript in the README is what a stack says.
	$(build) --bin carryover $(bins)
	$(run-tests) --test stack the_transcript_of_the_readme_is_true

.PHONY: audit
audit: ## Checks bans, licences and sources of what we depend on; needs cargo-deny.
	cargo deny check bans licenses sources

.PHONY: mutants
mutants: ## Shows that tests fail when what they hold is broken on purpose (MUTANTS= names some).
	tests/mutants/run.sh $(MUTANTS)

# `sam build` calls `build-<function>` for each function with the directory that becomes its zip. The first call
# builds all of them. Cross-compile with, say, RELEASE_BUILD='cargo zigbuild --release' RELEASE_TARGET=<triple>.
RELEASE_BUILD ?= cargo build --release
RELEASE_TARGET ?=
# By their paths, since other packages may have the same names.
packages = $(patsubst %,--package path+file://$(CURDIR)/functions/%,$(functions))
release-dir = $(target)/$(if $(RELEASE_TARGET),$(RELEASE_TARGET)/)release

.PHONY: release
release: ## Builds the functions for deployment.
	$(RELEASE_BUILD) $(packages) $(if $(RELEASE_TARGET),--target $(RELEASE_TARGET))

.PHONY: build-ReplyDoor build-ReplyWorker build-ReplySweep
build-ReplyDoor build-ReplyWorker build-ReplySweep: release
	cp $(release-dir)/reply "$(ARTIFACTS_DIR)/bootstrap"

.PHONY: build-Summarizer
build-Summarizer: release
	cp $(release-dir)/summarizer "$(ARTIFACTS_DIR)/bootstrap"

.PHONY: build-Retainer
build-Retainer: release
	cp $(release-dir)/retainer "$(ARTIFACTS_DIR)/bootstrap"

.PHONY: build-Notifier
build-Notifier: release
	cp $(release-dir)/notifier "$(ARTIFACTS_DIR)/bootstrap"

.PHONY: build-Eraser
build-Eraser: release
	cp $(release-dir)/eraser "$(ARTIFACTS_DIR)/bootstrap"

.PHONY: build-Console
build-Console: release
	cp $(release-dir)/console "$(ARTIFACTS_DIR)/bootstrap"

# Virtual environments, made again only when their requirements change.
$(local)/venv/.made-%: infra/local/requirements.txt
	$(make-venv)
$(local)/lint-venv/.made-%: infra/local/requirements-lint.txt
	$(make-venv)

define make-venv
@echo "Setting up $(@D)"
@rm -rf $(@D)
@python3 -m venv $(@D)
@$(@D)/bin/pip install --quiet --disable-pip-version-check --requirement $<
@touch $@
endef
