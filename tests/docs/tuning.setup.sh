# SPDX-License-Identifier: MIT
# Makes the present folder a repository of the engine, which is at another one too.
command -v git >/dev/null || { echo "git is not installed"; exit 1; }
git config --global user.name "Ada Example"
git config --global user.email ada@example.org
git init -q -b main .
cp -R "$OBWORKER_DATADIR/engine" .
git add -A
git commit -qm "The engine"
git init -q --bare ../tuning-origin.git
git remote add origin ../tuning-origin.git
git push -q origin main
