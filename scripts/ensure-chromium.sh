#!/usr/bin/env bash
# Makes sure that a Chromium is installed: the tests of the page run in a real one and must not be skipped for want of it.
# Needs root, or sudo without a password, only when it has to be installed. CHROMIUM names one that lies elsewhere.
set -euo pipefail
# shellcheck source=scripts/system-package.sh
source "$(dirname "${BASH_SOURCE[0]}")/system-package.sh"

# test/web/browser.ts looks in the same places.
find_chromium() {
  for file in "${CHROMIUM:-}" /usr/bin/chromium /usr/bin/chromium-browser /usr/bin/google-chrome-stable /usr/bin/google-chrome \
    '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome'; do
    if [[ -n $file && -x $file ]]; then
      echo "$file"
      return
    fi
  done
  return 1
}

give_up() {
  echo "ensure-chromium: $1" >&2
  echo 'ensure-chromium: install Chromium or Chrome by hand, or set CHROMIUM to one' >&2
  exit 1
}

if chromium=$(find_chromium); then
  echo "ensure-chromium: $chromium"
  exit 0
fi
log=$(mktemp)
trap 'rm -f "$log"' EXIT
echo 'ensure-chromium: installing chromium'
if ! install_package chromium >"$log" 2>&1; then
  tail -n 5 "$log" >&2
  give_up 'it could not be installed'
fi
chromium=$(find_chromium) || give_up 'it was installed, but not where the tests look'
echo "ensure-chromium: $chromium"
