# Hiddenhand: everything starts with `make demo` or `make test`. PYTHON chooses the interpreter that
# .venv is made from.
PYTHON ?= python3

.PHONY: demo test test-web docs bench lock release-check clean

demo: .venv/installed
	.venv/bin/hiddenhand demo

test: .venv/installed
	scripts/check

# Whole matches in Chromium, if it is there; installs nothing for that.
test-web: .venv/installed
	HIDDENHAND_BROWSER=1 .venv/bin/pytest tests/web/browser

docs: .venv/installed .venv/installed-docs
	.venv/bin/python -m docs.site.build

# PYTHONS: further interpreters to try the wheel with, such as "python3.12 python3.13"
release-check: .venv/installed
	PYTHON="$(PYTHON)" scripts/release-check $(PYTHONS)

bench: .venv/installed .venv/installed-peers
	.venv/bin/python -m benchmarks.peers
	.venv/bin/python -m benchmarks.pursuit

lock: .venv/installed
	scripts/lock

clean:
	rm -rf .venv build dist .pytest_cache .mypy_cache .ruff_cache

# The stamps remember what was installed: a second run installs nothing.
.venv/installed: requirements.lock pyproject.toml scripts/install
	PYTHON="$(PYTHON)" scripts/install requirements.lock
	touch $@

.venv/installed-peers: requirements-peers.lock .venv/installed
	PYTHON="$(PYTHON)" scripts/install requirements-peers.lock
	touch $@

.venv/installed-docs: requirements-docs.lock .venv/installed
	PYTHON="$(PYTHON)" scripts/install requirements-docs.lock
	touch $@
