#!/usr/bin/env bash
# Runs the official MCP conformance suite and the official inspector against a real `colibri serve --http` on real
# skills, in both protocol generations. The tools need a newer Node than Colibri does, so they live in a folder of
# their own, outside of this repository: $COLIBRI_TOOLS, else one under the system's temporary directory.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec </dev/null

conformance=0.2.0-alpha.12
inspector=2.12.0
tools_node=22.23.3
cache=${COLIBRI_TOOLS:-${TMPDIR:-/tmp}/colibri-tools-$(id -u)}
tools=$cache/conformance-$conformance-inspector-$inspector

scratch=$(mktemp -d "${TMPDIR:-/tmp}/colibri-conformance.XXXXXX")
server=''
staging=''
end() {
  if [[ -n $server ]]; then
    kill "$server" 2>/dev/null || true
    wait "$server" 2>/dev/null || true
  fi
  rm -rf "$scratch" ${staging:+"$staging"}
}
trap end EXIT

fail() {
  echo "conformance: $1" >&2
  shift
  for file in "$@"; do
    echo "--- $(basename "$file")" >&2
    cat "$file" >&2
  done
  exit 1
}

# The finished folder appears in one step: a run that was stopped in the middle, or another at the same time, leaves no half.
install_tools() {
  if [[ -d $tools ]]; then return; fi
  echo "installing the tools into $tools"
  staging=$(mktemp -d "$cache/install.XXXXXX")
  echo '{ "private": true, "allowScripts": { "node": true } }' >"$staging/package.json"
  (cd "$staging" && npm install --no-audit --no-fund --loglevel=error \
    "@modelcontextprotocol/conformance@$conformance" "@modelcontextprotocol/inspector@$inspector" "node@$tools_node") \
    >"$scratch/install" 2>&1 || fail 'the tools could not be installed' "$scratch/install"
  if [[ ! -d $tools ]]; then mv "$staging" "$tools"; fi
}

mkdir -p "$cache"
# Whoever could write there could have their own code run by us.
[[ -O $cache ]] || fail "$cache belongs to somebody else; set COLIBRI_TOOLS to a folder of yours"
install_tools
node22=$tools/node_modules/node/bin/node
[[ -x $node22 ]] || fail "no $node22; delete $tools and try again"

# Our own skills, and one with a file of every kind. The directory scenario looks at the first skill alone.
workspace=$scratch/workspace
odd=$workspace/.agents/skills/a-file-of-every-kind
mkdir -p "$workspace/.agents"
cp -R .agents/skills "$workspace/.agents/skills"
mkdir -p "$odd/scripts/deep/deeper" "$odd/references" "$odd/assets"
printf -- '---\nname: a-file-of-every-kind\ndescription: "Has files: of every kind. Use it in tests."\nlicense: MIT\nmetadata:\n  author: someone\n---\n# Files\n' >"$odd/SKILL.md"
printf 'print(1)\n' >"$odd/scripts/run.py"
printf 'last\n' >"$odd/scripts/deep/deeper/last.txt"
printf '\xef\xbb\xbfodd\r\n' >"$odd/references/a b#c?d%25é.md"
printf '\x89PNG\x00\xff\xfe' >"$odd/assets/logo.png"
: >"$odd/assets/nothing.txt"

npm run --silent build
env -i PATH="$PATH" HOME="$workspace" node dist/bin.cjs serve --http --port 0 --workspace "$workspace" \
  >"$scratch/stdout" 2>"$scratch/stderr" &
server=$!
url=''
for _ in $(seq 100); do
  url=$(sed -n 's/^\[colibri\] listening on \(http[^ ]*\).*/\1/p' "$scratch/stderr")
  if [[ -n $url ]]; then break; fi
  kill -0 "$server" 2>/dev/null || fail 'the server ended' "$scratch/stderr"
  sleep 0.1
done
[[ -n $url ]] || fail 'the server said no address' "$scratch/stderr"

failed=0
row() { printf '%-32s  %-10s  %s\n' "$1" "$2" "$3"; }

# The tool exits with 1 when a check fails; a line without a count means that it never came to checking.
scenario() {
  local name=$1 version=$2 status=0 counts
  "$node22" "$tools/node_modules/@modelcontextprotocol/conformance/dist/index.js" server --url "$url" \
    --scenario "$name" --spec-version "$version" --force >"$scratch/output" 2>&1 || status=$?
  counts=$(sed -n 's/^Passed: \(.*\)$/\1/p' "$scratch/output")
  row "$name" "$version" "${counts/,/ passed,}"
  if ((status == 0)) && [[ $counts =~ ^([1-9][0-9]*)/([0-9]+),\ 0\ failed, && ${BASH_REMATCH[1]} == "${BASH_REMATCH[2]}" ]]; then
    return
  fi
  failed=1
  cat "$scratch/output" >&2
}

row 'scenario' 'protocol' 'checks'
for version in 2025-11-25 2026-07-28; do
  for name in sep-2640-skills-enumeration sep-2640-skills-manifest sep-2640-skills-directory \
    dns-rebinding-protection resources-list tools-list prompts-list sep-2164-resource-not-found; do
    scenario "$name" "$version"
  done
done
# What only one of the two protocols has.
scenario server-initialize 2025-11-25
scenario ping 2025-11-25
scenario caching 2026-07-28
scenario http-header-validation 2026-07-28

if PATH="$(dirname "$node22"):$PATH" "$node22" "$tools/node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js" \
  --cli "$url" --transport http --method skills/list --verify >"$scratch/output" 2>&1; then
  row 'inspector skills/list --verify' '2026-07-28' "$(tail -n 1 "$scratch/output")"
else
  failed=1
  row 'inspector skills/list --verify' '2026-07-28' 'failed'
  cat "$scratch/output" >&2
fi

((failed == 0)) || fail 'some checks failed; what the tools said is above' "$scratch/stderr"
