#!/bin/sh
# What the Dockerfile does, without Docker: installs the server from the sources, and makes its account and folders.
#     sudo deploy/install.sh
# A first argument is put before all paths, and then nobody but you owns the folders: deploy/install.sh /tmp/root
set -eu
cd "$(dirname "$0")/.."
root=${1:-}

# The build of the wheel fetches Node as a Python package and builds the page with it.
python3 -m venv "$root/opt/liarsdice"
"$root/opt/liarsdice/bin/pip" install --no-cache-dir --constraint constraints.txt '.[postgresql,table]'

if [ -n "$root" ]; then
    install --directory --mode 0700 "$root/var/lib/liarsdice" "$root/var/backups/liarsdice"
    exit
fi
getent group liarsdice >/dev/null || groupadd --system --gid 10001 liarsdice
getent passwd liarsdice >/dev/null \
    || useradd --system --uid 10001 --gid liarsdice --home-dir /var/lib/liarsdice --shell /usr/sbin/nologin liarsdice
install --directory --mode 0700 --owner liarsdice --group liarsdice /var/lib/liarsdice /var/backups/liarsdice
