# SPDX-License-Identifier: MIT
# A text as lines of C strings, without the blanks at the lines' beginnings and without lines that
# are comments alone.
/^ *\/\//d
/^ *$/d
s/^ *//
s/[\\"]/\\&/g
s/.*/"&\\n",/
