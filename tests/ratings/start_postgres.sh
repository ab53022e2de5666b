#!/bin/sh
# A private PostgreSQL for the tests: its own data folder, its own port, no password to guess.
#
#   start_postgres.sh start DIR   makes and starts one; prints its address as the last line
#   start_postgres.sh stop DIR    stops it
#   start_postgres.sh kill DIR    kills it at once, as a power cut would (start brings it back)
#
# The server never runs as root: for root the user postgres is used. In CI (CI=true) a missing
# server is installed from the distribution's packages.
set -eu

action=$1
dir=$2

bin() {
    for found in /usr/lib/postgresql/*/bin /usr/pgsql-*/bin /usr/local/pgsql/bin; do
        [ -x "$found/initdb" ] && { echo "$found"; return; }
    done
    command -v initdb >/dev/null 2>&1 && dirname "$(command -v initdb)"
}

as_server() {
    if [ "$(id -u)" = 0 ]; then
        runuser -u postgres -- "$@"
    else
        "$@"
    fi
}

if [ -z "$(bin)" ] && [ "${CI:-}" = true ]; then
    as_root=""
    [ "$(id -u)" = 0 ] || as_root="sudo"
    { $as_root apt-get update -qq && $as_root apt-get install -y -qq postgresql; } >&2
fi
BIN=$(bin)
[ -n "$BIN" ] || { echo "PostgreSQL is not installed (Debian: apt-get install postgresql)." >&2; exit 3; }

case $action in
start)
    mkdir -p "$dir"
    [ "$(id -u)" = 0 ] && chown postgres "$dir"
    if [ ! -f "$dir/data/PG_VERSION" ]; then
        as_server "$BIN/initdb" -D "$dir/data" -U rater --auth=trust --no-sync -E UTF8 --locale=C.UTF-8 >/dev/null
        python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])' >"$dir/port"
        printf "listen_addresses = '127.0.0.1'\nunix_socket_directories = '%s'\nmax_connections = 200\nshared_buffers = 32MB\n" \
            "$dir" >>"$dir/data/postgresql.conf"
    fi
    port=$(cat "$dir/port")
    as_server "$BIN/pg_ctl" -D "$dir/data" -w -t 60 -l "$dir/data/log" -o "-p $port" start >/dev/null
    echo "postgresql://rater@127.0.0.1:$port/postgres"
    ;;
stop)
    as_server "$BIN/pg_ctl" -D "$dir/data" -w -m immediate stop >/dev/null
    ;;
kill)
    kill -KILL "$(head -n 1 "$dir/data/postmaster.pid")"
    ;;
*)
    echo "start, stop or kill, not $action" >&2
    exit 2
    ;;
esac
