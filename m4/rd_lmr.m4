# SPDX-License-Identifier: MIT
# RD_LMR_FLAGS: ./configure LMR="KILLER=exempt W_PV=-512" and --enable-tune, the same words that
# engine/Makefile takes. A wrong row or value is refused here, by the generator itself.
AC_DEFUN([RD_LMR_FLAGS], [
  AC_ARG_VAR([LMR], [late move reduction and search rows to override, e.g. "PRESET=t1 FIXED_R=2"])
  AC_ARG_ENABLE([tune], [AS_HELP_STRING([--enable-tune],
    [make every reduction and search row a UCI option (for SPSA), instead of a constant])], [], [enable_tune=no])
  TUNE=0
  AS_IF([test "$enable_tune" = yes], [TUNE=1])
  AC_SUBST([TUNE])
  AC_MSG_CHECKING([the late move reduction rows])
  rd_lmr_fault=`LMR="$LMR" TUNE="$TUNE" RD_CHECK=1 $AWK -f "$srcdir/engine/lmr/flags.awk" \
    "$srcdir/engine/lmr/flags.def" "$srcdir/engine/search/params.def" \
    "$srcdir/engine/lmr/presets.def" 2>&1`
  AS_IF([test $? -ne 0], [AC_MSG_RESULT([refused]); AC_MSG_ERROR([$rd_lmr_fault])])
  AC_MSG_RESULT([${LMR:-as in the table}])
])
