#!/bin/sh
# An nginx for the serving tests: an installed one, else (in CI only) Debian's package.
command -v nginx >/dev/null 2>&1 && exit 0
if [ "${CI:-}" = true ]; then
    as_root=""
    [ "$(id -u)" = 0 ] || as_root="sudo"
    # shellcheck disable=SC2086
    { $as_root apt-get update -qq && $as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends nginx-light; } >&2
fi
command -v nginx >/dev/null 2>&1 || { echo "nginx is not installed (Debian: apt-get install nginx-light)." >&2; exit 3; }
