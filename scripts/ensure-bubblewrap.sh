#!/usr/bin/env bash
# Makes sure that bubblewrap, the sandbox of skill scripts, is installed. Its tests start real sandboxes and must not be
# skipped for want of it. Needs root, or sudo without a password, only when it has to be installed.
set -euo pipefail
# shellcheck source=scripts/system-package.sh
source "$(dirname "${BASH_SOURCE[0]}")/system-package.sh"

# Colibri looks in these folders and nowhere else.
find_bwrap() {
  for folder in /usr/bin /bin /usr/local/bin; do
    if [[ -x $folder/bwrap ]]; then
      echo "$folder/bwrap"
      return
    fi
  done
  return 1
}

give_up() {
  echo "ensure-bubblewrap: $1" >&2
  echo 'ensure-bubblewrap: install the package "bubblewrap" by hand; without it Colibri refuses to run scripts' >&2
  exit 1
}

if [[ $(uname -s) != Linux ]]; then
  echo 'ensure-bubblewrap: bubblewrap exists only on Linux; sandboxed scripts are refused here'
  exit 0
fi
if bwrap=$(find_bwrap); then
  echo "ensure-bubblewrap: $("$bwrap" --version) at $bwrap"
  exit 0
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo 'ensure-bubblewrap: installing bubblewrap'
if ! install_package bubblewrap util-linux >"$log" 2>&1; then
  tail -n 5 "$log" >&2
  give_up 'it could not be installed'
fi
bwrap=$(find_bwrap) || give_up 'it was installed, but not where Colibri looks'
echo "ensure-bubblewrap: $("$bwrap" --version) at $bwrap"
