# make app    set everything up and serve the app on 127.0.0.1:8501 (PORT=... for another port)
# make test   set everything up and run every check
# make bench  measure; prints ratios
# make bench-check  measure, and fail when a bar is not held (about an hour, on a quiet machine)

PYTHON ?= python3
PORT ?= 8501
VENV := .venv
BIN := $(VENV)/bin
export PIP_DISABLE_PIP_VERSION_CHECK = 1

.PHONY: app test check bench bench-check wordnet browser clean

app: $(VENV)/.installed wordnet
	@$(BIN)/python -m vlmexplain demo || echo "The demo world could not be set up; the app starts without it." >&2
	$(BIN)/streamlit run app.py --server.address=$${ADDRESS:-127.0.0.1} --server.port=$(PORT)

wordnet: $(VENV)/.installed
	@$(BIN)/python -m vlmexplain wordnet

test: $(VENV)/.installed-dev browser check
	$(BIN)/python -m pytest

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
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "vlmexplain needs Python 3.11 or newer; PYTHON=/path/to/python3.11 make ..." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV) || { echo "python3 -m venv failed: on Debian install python3-venv." >&2; rm -rf $(VENV); exit 1; }

# The stamp is written last, so that an interrupted installation is taken up again.
$(VENV)/.installed: requirements.txt pyproject.toml | $(VENV)/bin/python
	$(BIN)/pip install --quiet --upgrade pip
	$(BIN)/pip install --quiet -r requirements.txt -e .
	@touch $@

$(VENV)/.installed-dev: requirements-dev.txt requirements-ray.txt $(VENV)/.installed
	$(BIN)/pip install --quiet -r requirements-dev.txt
	@touch $@

clean:
	rm -rf $(VENV) build *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis
