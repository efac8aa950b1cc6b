# SPDX-License-Identifier: MIT
# Scripts source it: $browser is the headless browser of this machine; empty: none, or no node.
browser=
for candidate in chromium chromium-browser google-chrome chrome; do
    [ -n "$browser" ] || browser=$(command -v "$candidate" || true)
done
command -v node >/dev/null || browser=
