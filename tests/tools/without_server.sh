# SPDX-License-Identifier: MIT
# For test scripts. without_server OBWORKER: a script that answers as this program does when it is built without the
# libraries of `obworker serve`.
without_server() {
    cat <<END
#!/bin/sh
case \$1 in
serve) echo 'obworker serve: this obworker was built without' >&2; exit 1 ;;
--version) "$1" --version | sed 's/^Server: .*/Server: no (configured without)/' ;;
*) exec "$1" "\$@" ;;
esac
END
}
