#!/usr/bin/env bash
# Installs the packed tarball into an empty folder, as a user would, and runs it there: what is missing from the
# package, from its `files` or from its dependencies shows only outside of this repository.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

scratch=$(mktemp -d "${TMPDIR:-/tmp}/colibri-pack.XXXXXX")
trap 'rm -rf "$scratch"' EXIT

fail() {
  echo "pack smoke: $1" >&2
  shift
  for file in "$@"; do
    echo "--- $(basename "$file")" >&2
    cat "$file" >&2
  done
  exit 1
}

npm run --silent build
npm pack --silent --pack-destination "$scratch" >/dev/null
tarball=$(find "$scratch" -maxdepth 1 -name '*.tgz')
version=$(node -p 'require("./package.json").version')

# Nothing is prepared in the folder, not even `allowScripts`: users have no such entry either.
app="$scratch/app"
mkdir "$app"
echo '{ "private": true, "type": "module" }' >"$app/package.json"
(cd "$app" && npm install --no-audit --no-fund --loglevel=error "$tarball" </dev/null)

said=$(cd "$app" && npx --no-install colibri --version </dev/null)
[[ $said == *"$version"* ]] || fail "colibri --version printed \"$said\" instead of $version"

(cd "$app" && node -e 'import("colibri").then(({ openColibri }) => { if (typeof openColibri !== "function") process.exit(1); })') ||
  fail 'the library does not export openColibri'

workspace="$scratch/workspace"
mkdir "$workspace"
list() {
  (cd "$workspace" && "$app/node_modules/.bin/colibri" list </dev/null >"$scratch/stdout" 2>"$scratch/stderr")
}

list || fail 'colibri list failed in an empty folder' "$scratch/stdout" "$scratch/stderr"
[[ ! -s "$scratch/stdout" ]] || fail 'colibri list found skills in an empty folder' "$scratch/stdout"

mkdir -p "$workspace/.agents/skills/pack-smoke"
printf -- '---\nname: pack-smoke\ndescription: Proves that the package works where it is installed.\n---\nHello.\n' \
  >"$workspace/.agents/skills/pack-smoke/SKILL.md"
list || fail 'colibri list failed with one skill' "$scratch/stdout" "$scratch/stderr"
[[ $(wc -l <"$scratch/stdout") -eq 1 && $(cut -f1 "$scratch/stdout") == pack-smoke ]] ||
  fail 'colibri list did not print exactly the one skill' "$scratch/stdout" "$scratch/stderr"

echo "installed $(basename "$tarball") into an empty folder: --version, library and list work"
