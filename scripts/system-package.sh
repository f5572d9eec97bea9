# Installs packages of the system, for the scripts that make sure of a tool. Sourced, not run.
# Needs root, or sudo without a password.

as_root() {
  if [[ $(id -u) -eq 0 ]]; then
    "$@"
  else
    sudo -n "$@"
  fi
}

# install_package <name> [more packages for Alpine...]
install_package() {
  local name=$1
  shift
  if command -v apt-get >/dev/null; then
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$name" ||
      { as_root apt-get update && as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$name"; }
  elif command -v dnf >/dev/null; then
    as_root dnf install -y "$name"
  elif command -v apk >/dev/null; then
    as_root apk add "$name" "$@"
  elif command -v pacman >/dev/null; then
    as_root pacman -S --noconfirm --needed "$name"
  elif command -v zypper >/dev/null; then
    as_root zypper --non-interactive install "$name"
  else
    return 1
  fi
}
