# make app    set everything up and serve the app on 127.0.0.1:8501 (PORT=... for another port)
# make test   set everything up and run every check; what takes long is left to `make long`
# make long   what takes longer: simulations, other versions of open_clip, the wheel as installed
# make lowest install the lowest versions that pyproject.toml allows; run the model and page tests
# make bench  measure; prints ratios
# make bench-check  measure, and fail when a bar is not held (about an hour, on a quiet machine)

PYTHON ?= python3
PORT ?= 8501
VENV := .venv
BIN := $(VENV)/bin
LOWEST := .venv-lowest
export PIP_DISABLE_PIP_VERSION_CHECK = 1

.PHONY: app test long lowest check bench bench-check wordnet browser clean

app: $(VENV)/.installed
	$(BIN)/python -m vlmexplain serve --address $${ADDRESS:-127.0.0.1} --port $(PORT)

wordnet: $(VENV)/.installed
	@$(BIN)/python -m vlmexplain wordnet

test: $(VENV)/.installed-dev browser check
	$(BIN)/python -m pytest -m "not long"

long: $(VENV)/.installed-dev browser
	$(BIN)/python -m pytest -m long

# In a virtual environment of its own, beside the tested one.
lowest: $(LOWEST)/.installed
	$(LOWEST)/bin/python -m pytest -m "not long and not browser" tests/models tests/ui tests/ui_overview

check: $(VENV)/.installed-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

browser:
	@sh tests/find_browser.sh

bench: $(VENV)/.installed-dev
	for script in benchmarks/bench_*.py; do $(BIN)/python $$script || exit 1; done

bench-check: $(VENV)/.installed-dev
	$(BIN)/python benchmarks/check_bars.py

$(VENV)/bin/python:
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' || { echo "vlmexplain needs Python 3.11 to 3.13; PYTHON=/path/to/python3.11 make ..." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "python3 -m venv failed: on Debian install python3-venv." >&2; rm -rf $(VENV); exit 1; }

# The stamp is written last, so that an interrupted installation is taken up again.
$(VENV)/.installed: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(BIN)/pip install --quiet --upgrade pip
	$(BIN)/pip install --quiet -c constraints.txt -e .
	@touch $@

$(VENV)/.installed-dev: $(VENV)/.installed
	$(BIN)/pip install --quiet -c constraints.txt -e '.[dev]'
	@touch $@

$(LOWEST)/.installed: pyproject.toml tests/lowest.py
	$(PYTHON) -m venv --clear $(LOWEST)
	$(LOWEST)/bin/pip install --quiet --upgrade pip
	$(PYTHON) tests/lowest.py > $(LOWEST)/lowest.txt
	$(LOWEST)/bin/pip install --quiet -c $(LOWEST)/lowest.txt -e '.[ray,postgres]' pytest pytest-timeout hypothesis
	@touch $@

clean:
	rm -rf $(VENV) $(LOWEST) build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
