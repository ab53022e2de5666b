#!/bin/sh
# Two app processes behind nginx: http://127.0.0.1:8500
#
#   sh examples/serving/run.sh
#
# PYTHON is the interpreter that has vlmexplain (default: the one `make app` made). Everything else,
# such as VLMEXPLAIN_HOME, VLMEXPLAIN_READONLY and VLMEXPLAIN_DATABASE_URL, goes to the processes as
# it is. Ctrl-C, or SIGTERM to this script, stops all of them and waits until they are done.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
python=${PYTHON:-"$root/.venv/bin/python"}

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
    trap - TERM INT EXIT
    # shellcheck disable=SC2086
    kill -TERM $started 2>/dev/null || true
    wait
    rm -rf "$scratch"
}
trap 'stop; exit 0' TERM INT
trap stop EXIT

cd "$root"
for port in 8601 8602; do
    "$python" -m streamlit run app.py --server.port "$port" --logger.hideWelcomeMessage true &
    started="$started $!"
done
nginx -p "$scratch" -c "$here/nginx.conf" &
started="$started $!"
wait
