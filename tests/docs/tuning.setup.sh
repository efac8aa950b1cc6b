# SPDX-License-Identifier: MIT
# Makes the present folder a repository of the engine.
command -v git >/dev/null || { echo "git is not installed"; exit 1; }
git config --global user.name "Ada Example"
git config --global user.email ada@example.org
git init -q -b main .
cp -R "$OBWORKER_DATADIR/engine" .
git add -A
git commit -qm "The engine"
