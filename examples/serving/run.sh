#!/bin/sh
# Two app processes behind nginx: http://127.0.0.1:8500
#
#   sh examples/serving/run.sh
#
# PYTHON is the interpreter that has vlmexplain (default: the one `make app` made). Everything else,
# such as VLMEXPLAIN_HOME, VLMEXPLAIN_READONLY and VLMEXPLAIN_DATABASE_URL, goes to the processes as
# it is. Ctrl-C, or SIGTERM to this script, stops all of them and waits until they are done. What
# cannot start ends it at once, with exit code 1.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
python=${PYTHON:-"$root/.venv/bin/python"}

fail() {
    echo "run.sh: $1" >&2
    exit 1
}
cd "$root"
command -v nginx >/dev/null || fail "there is no nginx here. On Debian: apt-get install nginx-light"
"$python" -c "import streamlit" 2>/dev/null ||
    fail "$python has no vlmexplain. Run \`make app\` once, or name an interpreter by PYTHON."
for port in 8500 8601 8602; do
    "$python" -c "import socket; socket.create_server(('127.0.0.1', $port))" 2>/dev/null ||
        fail "port $port is taken. Does another run.sh still run?"
done
# Here, once, so that no page has to wait for it; a home that cannot be written is served as it is.
"$python" -m vlmexplain wordnet >&2 || true

# All processes sign cookies with one secret, for a browser may come to another one.
if [ -z "${STREAMLIT_SERVER_COOKIE_SECRET:-}" ]; then
    STREAMLIT_SERVER_COOKIE_SECRET=$(od -An -tx1 -N32 /dev/urandom | tr -d ' \n')
fi
export STREAMLIT_SERVER_COOKIE_SECRET
export VLMEXPLAIN_LOG="${VLMEXPLAIN_LOG:-json}"

scratch=$(mktemp -d)
chmod 755 "$scratch" # nginx's workers run as another user when it is started by root
started=""
stop() {
    trap - EXIT
    trap '' TERM INT # a second Ctrl-C must not end this script before all others are done
    # shellcheck disable=SC2086
    [ -z "$started" ] || kill -TERM $started 2>/dev/null || true
    wait
    rm -rf "$scratch"
}
trap 'stop; exit 0' TERM INT
trap stop EXIT

# Whether the process $1 still runs (`jobs` notices those that ended).
runs() {
    jobs >/dev/null
    kill -0 "$1" 2>/dev/null
}
# Wait until the process $1 answers on port $2.
wait_for() {
    tries=0
    while ! "$python" -m vlmexplain health --url "http://127.0.0.1:$2" >"$scratch/health" 2>&1; do
        runs "$1" || fail "what was to serve port $2 ended: what it wrote above says why."
        tries=$((tries + 1))
        [ $tries -lt 120 ] || fail "port $2 is not well: $(cat "$scratch/health")"
        sleep 0.5
    done
}

for port in 8601 8602; do
    "$python" -m streamlit run app.py --server.port "$port" --logger.hideWelcomeMessage true &
    started="$started $!"
done
# shellcheck disable=SC2086
set -- $started
wait_for "$1" 8601
wait_for "$2" 8602

nginx -p "$scratch" -c "$here/nginx.conf" &
started="$started $!"
wait_for "$!" 8500
echo "Two processes behind http://127.0.0.1:8500 (Ctrl-C stops them)." >&2
wait "$!" || fail "nginx ended: what it wrote above says why."
