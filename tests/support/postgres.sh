#!/usr/bin/env bash
# Runs a command beside a PostgreSQL server of its own: postgres.sh COMMAND [ARG...]
# The server listens on loopback alone and is gone, with its data, when the command ends. Its URL stands in
# JEV_TURN_TEST_DATABASE_URL. As root it installs Debian's package where none is there, and serves as "postgres".
set -euo pipefail

[ $# -gt 0 ] || { echo "usage: $0 COMMAND [ARG...]" >&2; exit 64; }

programs() {
  ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1
}

as_server() {
  if [ "$(id -u)" -eq 0 ]; then
    runuser -u postgres -- "$@"
  else
    "$@"
  fi
}

if [ -z "$(programs)" ]; then
  [ "$(id -u)" -eq 0 ] || { echo "PostgreSQL is missing: apt-get install postgresql" >&2; exit 1; }
  # The package would make and start a cluster of its own.
  mkdir -p /etc/postgresql-common
  [ -e /etc/postgresql-common/createcluster.conf ] ||
    echo "create_main_cluster = false" >/etc/postgresql-common/createcluster.conf
  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq postgresql >/dev/null
fi
bin=$(programs)

folder=$(mktemp -d)
stop() {
  local pid
  if pid=$(head -n 1 "$folder/data/postmaster.pid" 2>/dev/null); then
    kill -INT "$pid" 2>/dev/null || true
    for _ in $(seq 100); do
      kill -0 "$pid" 2>/dev/null || break
      sleep 0.1
    done
  fi
  rm -rf "$folder"
}
trap stop EXIT
trap 'exit 130' INT TERM

password=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
printf '%s\n' "$password" >"$folder/password"
[ "$(id -u)" -ne 0 ] || chown -R postgres "$folder"
cd "$folder"
as_server "$bin/initdb" -D "$folder/data" -U jev --auth=scram-sha-256 --pwfile="$folder/password" \
  --encoding=UTF8 --no-locale --no-sync >"$folder/initdb.log" 2>&1 || { cat "$folder/initdb.log" >&2; exit 1; }

port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
# Nothing here outlives a crash of the server, so it need not wait for the disk.
as_server "$bin/pg_ctl" -D "$folder/data" -l "$folder/server.log" -w -t 60 start >/dev/null \
  -o "-p $port -k $folder -c listen_addresses=127.0.0.1 -c fsync=off -c full_page_writes=off" ||
  { cat "$folder/server.log" >&2; exit 1; }
cd "$OLDPWD"

export JEV_TURN_TEST_DATABASE_URL="postgresql://jev:$password@127.0.0.1:$port/postgres"
echo "PostgreSQL on 127.0.0.1:$port" >&2
"$@"
