#!/usr/bin/env bash
# What must hold before a release: the archives, their metadata, an installation from nothing else, the
# dependencies. Changes nothing outside build/release.
#   tests/release/run.sh [PYTHON]     PYTHON has hatchling
set -euo pipefail
cd "$(dirname "$0")/../.."
python=$(realpath -s "${1:-.venv/bin/python}")
work=$PWD/build/release
rm -rf "$work" && mkdir -p "$work/elsewhere"
unset PYTHONPATH

say() { printf 'release: %s\n' "$*"; }

"$python" -m hatchling build -t sdist -d "$work/dist" >/dev/null 2>&1
tar -xzf "$work"/dist/*.tar.gz -C "$work"
(cd "$work"/pipecat_jev_turn-*/ && "$python" -m hatchling build -t wheel -d "$work/dist" >/dev/null)
for archive in "$work"/dist/*; do
  say "$(basename "$archive"), $(($(stat -c %s "$archive") / 1024)) KiB"
done

"$python" -m venv "$work/tools"
"$work/tools/bin/pip" install -qq --disable-pip-version-check twine pip-audit
"$work/tools/bin/twine" check --strict "$work"/dist/* | sed 's/^/release: /'

"$python" -m venv "$work/clean"
"$work/clean/bin/pip" install -qq --disable-pip-version-check -c constraints.txt \
  "$(echo "$work"/dist/*.whl)[embedded]"
cd "$work/elsewhere"
"$work/clean/bin/python" -P -c \
  'import jev_turn, sys; assert jev_turn.__file__.startswith(sys.prefix), jev_turn.__file__'
say "installed from the wheel: $("$work/clean/bin/pip" list --format=freeze 2>/dev/null | wc -l) packages"
"$work/clean/bin/jev-turn" demo --fast >"$work/demo.log" 2>&1 ||
  { tail -n 40 "$work/demo.log"; say "the demo failed in a clean environment"; exit 1; }
say "jev-turn demo --fast: $(grep -c . "$work/demo.log") lines, exit 0"
cd - >/dev/null

# Whether this index tells of vulnerabilities at all is found out with a version that has some.
audit=("$work/tools/bin/pip-audit" --disable-pip --progress-spinner off)
"$work/clean/bin/pip" freeze --exclude pipecat-jev-turn | grep == >"$work/installed.txt"
echo "urllib3==1.26.4" >"$work/known.txt"
if "${audit[@]}" --no-deps -r "$work/known.txt" 2>&1 | grep -q "PYSEC\|GHSA\|CVE"; then
  "${audit[@]}" --strict --no-deps -r "$work/installed.txt"
  say "no known vulnerability in $(wc -l <"$work/installed.txt") packages"
else
  say "NOT AUDITED for known vulnerabilities: no vulnerability database can be reached from here"
fi
"$work/clean/bin/python" tests/release/licences.py | sed 's/^/release: /'
