#!/bin/sh
# A Chromium for the browser tests: an installed one, else Debian's package where that can be had.
for name in chromium chromium-browser google-chrome google-chrome-stable; do
  command -v "$name" >/dev/null 2>&1 && exit 0
done
as_root=""
if [ "$(id -u)" != 0 ]; then
  if command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then as_root="sudo -n"; else
    echo "No Chromium found, and no right to install one: the browser tests will be skipped." >&2
    exit 0
  fi
fi
if command -v apt-get >/dev/null 2>&1; then
  echo "Installing Debian's chromium for the browser tests ..."
  $as_root apt-get update -qq && $as_root env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core >/dev/null ||
    echo "chromium could not be installed: the browser tests will say so." >&2
else
  echo "No Chromium found and no apt-get here: install Chromium to run the browser tests." >&2
fi
exit 0
