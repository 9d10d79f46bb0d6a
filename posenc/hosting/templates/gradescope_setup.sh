#!/usr/bin/env bash
# Builds the image in which lesson [[ lesson ]] is graded; Gradescope runs this once, as root.
set -euo pipefail
source_folder="${POSENC_AUTOGRADER:-/autograder}/source"
python=python3
if ! "$python" -c 'import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends python3 python3-venv python3-pip
fi
if ! command -v bwrap >/dev/null; then
  # Where the container allows namespaces, Bubblewrap keeps learners' code away from everything else.
  apt-get install -y -qq --no-install-recommends bubblewrap || true
fi
if ! "$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then
  echo "This image has $("$python" --version); the course needs Python 3.11 or newer. Choose a newer base image." >&2
  exit 1
fi
"$python" -m venv "$source_folder/environment"
"$source_folder/environment/bin/python" -m pip install --quiet --disable-pip-version-check "$source_folder/course"
# The sources are not needed once installed, and hold a reference for each challenge.
rm -rf "$source_folder/course"
