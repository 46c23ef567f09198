#!/bin/sh
# Installs the npm packages that package-lock.json names, unless they are there already:
#   install.sh [--omit=dev]
# Several build folders share web/node_modules and may be built at once, hence the lock.
set -eu
cd "$(dirname "$0")"

wanted=$(sha256sum <package-lock.json)
is_installed() {
  # An installation with the packages for tests also serves a build that needs fewer.
  grep -qsxF "$wanted all" node_modules/.cyclescope-installed ||
    { [ "$*" = --omit=dev ] && grep -qsxF "$wanted --omit=dev" node_modules/.cyclescope-installed; }
}

exec 9>.install-lock
flock 9
if ! is_installed "$@"; then
  npm ci --no-audit --no-fund --loglevel=error "$@"
  echo "$wanted ${*:-all}" > node_modules/.cyclescope-installed
fi
