# SPDX-License-Identifier: MIT
# Warnings, sanitizers and code generation: the choices a developer makes at configure time.

# RD_APPEND_IF_SUPPORTED(VARIABLE, FLAG): append FLAG to VARIABLE when the compiler takes it, and the linker.
AC_DEFUN([RD_APPEND_IF_SUPPORTED], [
  AC_MSG_CHECKING([whether $CC accepts $2])
  rd_saved_cflags=$CFLAGS
  CFLAGS="$CFLAGS -Werror $2"
  AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])],
    [AC_MSG_RESULT([yes]); AS_VAR_APPEND([$1], [" $2"])], [AC_MSG_RESULT([no])])
  CFLAGS=$rd_saved_cflags
])

# RD_WARNINGS: the project's warning list in WARN_CFLAGS; --enable-werror makes them errors.
AC_DEFUN([RD_WARNINGS], [
  AC_ARG_ENABLE([werror], [AS_HELP_STRING([--enable-werror], [treat warnings as errors])],
    [], [enable_werror=no])
  WARN_CFLAGS="-std=c11 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wstrict-prototypes -Wmissing-prototypes"
  AS_IF([test "$enable_werror" = yes], [AS_VAR_APPEND([WARN_CFLAGS], [" -Werror"])])
  AC_SUBST([WARN_CFLAGS])
])

# RD_SANITIZERS: --enable-asan, --enable-ubsan, --enable-tsan into SAN_CFLAGS (compile and link).
AC_DEFUN([RD_SANITIZERS], [
  AC_ARG_ENABLE([asan], [AS_HELP_STRING([--enable-asan], [build with AddressSanitizer])],
    [], [enable_asan=no])
  AC_ARG_ENABLE([ubsan], [AS_HELP_STRING([--enable-ubsan], [build with UndefinedBehaviorSanitizer])],
    [], [enable_ubsan=no])
  AC_ARG_ENABLE([tsan], [AS_HELP_STRING([--enable-tsan], [build with ThreadSanitizer])],
    [], [enable_tsan=no])
  SAN_CFLAGS=
  AS_IF([test "$enable_asan" = yes], [AS_VAR_APPEND([SAN_CFLAGS], [" -fsanitize=address -DRD_ASAN"])])
  AS_IF([test "$enable_ubsan" = yes],
    [AS_VAR_APPEND([SAN_CFLAGS],
      [" -fsanitize=undefined -fno-sanitize-recover=undefined -DRD_SANITIZED"])])
  AS_IF([test "$enable_tsan" = yes], [AS_VAR_APPEND([SAN_CFLAGS], [" -fsanitize=thread"])])
  AS_IF([test -n "$SAN_CFLAGS"], [AS_VAR_APPEND([SAN_CFLAGS], [" -fno-omit-frame-pointer"])])
  AC_SUBST([SAN_CFLAGS])
  # The asserts say what a function relies on: they hold in the archive that the tests and the
  # worker link, and in checked builds. The released engine is built without them.
  RELEASE_CFLAGS=
  AS_IF([test -z "$SAN_CFLAGS"], [RELEASE_CFLAGS=-DNDEBUG])
  AC_SUBST([RELEASE_CFLAGS])
])

# RD_NATIVE: this CPU's instructions (PEXT, POPCNT) unless --disable-native, in all files alike:
# engine/chess has its tables for one of the two. Floating point is the same with and without them.
AC_DEFUN([RD_NATIVE], [
  AC_ARG_ENABLE([native], [AS_HELP_STRING([--disable-native],
    [build for any CPU of this architecture, not for this one])], [], [enable_native=yes])
  CPU_CFLAGS="-ffp-contract=off"
  rd_native=
  AS_IF([test "$enable_native" = yes],
    [RD_APPEND_IF_SUPPORTED([rd_native], [-march=native])
     AS_IF([test -z "$rd_native"], [RD_APPEND_IF_SUPPORTED([rd_native], [-mcpu=native])])])
  AS_VAR_APPEND([CPU_CFLAGS], ["$rd_native"])
  AC_SUBST([CPU_CFLAGS])
])

# RD_LTO: link-time optimisation of the engine, off with sanitizers or --disable-lto.
# Only the `reductio` program is built with it (its objects are its own), so archives stay plain.
AC_DEFUN([RD_LTO], [
  AC_ARG_ENABLE([lto], [AS_HELP_STRING([--disable-lto], [no link-time optimisation of the engine])],
    [], [enable_lto=yes])
  LTO_CFLAGS=
  AS_IF([test "$enable_lto" = yes && test -z "$SAN_CFLAGS"],
    [RD_APPEND_IF_SUPPORTED([LTO_CFLAGS], [-flto=auto])
     AS_IF([test -z "$LTO_CFLAGS"], [RD_APPEND_IF_SUPPORTED([LTO_CFLAGS], [-flto])])])
  AC_SUBST([LTO_CFLAGS])
])

# RD_ATOMIC: the library of atomics of 64 bits, which some processors of 32 bits need (armel, mipsel), into LIBS.
AC_DEFUN([RD_ATOMIC], [
  AC_MSG_CHECKING([for the library of atomics of 64 bits])
  AC_LINK_IFELSE([AC_LANG_PROGRAM([[_Atomic long long n;]], [[return (int)n++;]])], [AC_MSG_RESULT([none is needed])], [
    LIBS="$LIBS -latomic"
    AC_LINK_IFELSE([AC_LANG_PROGRAM([[_Atomic long long n;]], [[return (int)n++;]])], [AC_MSG_RESULT([-latomic])],
      [AC_MSG_RESULT([missing])
       AC_MSG_ERROR([$CC links no atomics of 64 bits, with or without -latomic: install the compiler's libatomic])])
  ])
])

# RD_LINUX_EXTRAS: which half of worker/base is built, linux or portable. The answer is "no" with a reason
# where the system is not Linux; --disable-linux-extras chooses the portable half on Linux too.
AC_DEFUN([RD_LINUX_EXTRAS], [
  AC_ARG_ENABLE([linux-extras], [AS_HELP_STRING([--disable-linux-extras],
    [build as on systems other than Linux: no sandbox, no binding to CPUs, no limits of memory])],
    [], [enable_linux_extras=auto])
  AC_MSG_CHECKING([whether to use what only Linux has])
  AC_PREPROC_IFELSE([AC_LANG_SOURCE([[
#ifndef __linux__
#error another system
#endif
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <linux/securebits.h>
]])], [rd_linux=yes], [rd_linux=no])
  AS_IF([test "$enable_linux_extras" = auto], [enable_linux_extras=$rd_linux])
  AS_IF([test "$enable_linux_extras" = yes && test "$rd_linux" = no],
    [AC_MSG_ERROR([--enable-linux-extras: this system is not Linux, or lacks the headers of its kernel (Debian: linux-libc-dev)])])
  AC_MSG_RESULT([$enable_linux_extras])
  AM_CONDITIONAL([LINUX_EXTRAS], [test "$enable_linux_extras" = yes])
])

# RD_FATHOM: libfathom (Syzygy tables of the engine and of adjudication) is optional. HAVE_FATHOM is
# on the compiler's line: the engine's sources know no config.h.
AC_DEFUN([RD_FATHOM], [
  AC_ARG_WITH([fathom], [AS_HELP_STRING([--without-fathom], [no Syzygy tables])],
    [], [with_fathom=auto])
  FATHOM_LIBS=
  FATHOM_CFLAGS=
  have_fathom=no
  AS_IF([test "$with_fathom" != no], [
    AC_CHECK_HEADER([tbprobe.h], [
      AC_CHECK_LIB([fathom], [tb_init], [have_fathom=yes; FATHOM_LIBS=-lfathom; FATHOM_CFLAGS=-DHAVE_FATHOM=1])])
    AS_IF([test "$with_fathom" = yes && test "$have_fathom" = no],
      [AC_MSG_ERROR([--with-fathom was given, but tbprobe.h or libfathom is missing (Debian: libfathom-dev)])])
  ])
  AC_SUBST([FATHOM_LIBS])
  AC_SUBST([FATHOM_CFLAGS])
])

# RD_UNIT_FOLDER(VARIABLE, WHOSE, MANAGER): --with-VARIABLE, the folder of the unit of WHOSE, for systemd's MANAGER.
AC_DEFUN([RD_UNIT_FOLDER], [
  AC_ARG_WITH([$1], [AS_HELP_STRING([--with-$1=DIR], [where the $2's unit goes; "no": nowhere @<:@PREFIX/lib/systemd/$3@:>@])],
    [], [with_$1='${prefix}/lib/systemd/$3'])
  AS_CASE([$with_$1], [no | /* | '${'*], [],
    [AC_MSG_ERROR([--with-$1=$with_$1: give the folder by its absolute path, or "no"])])
  AC_SUBST([$1], [$with_$1])
])

# RD_BUILD_MARK: a number in config.h that another compiler, other flags, libraries or folders change. All objects
# depend on config.h (Makefile.am), so a later configure with other options makes them anew.
AC_DEFUN([RD_BUILD_MARK], [
  rd_build=
  for rd_variable in $ac_subst_vars; do
    AS_CASE([$rd_variable], [CC | *FLAGS | *LIBS | LINUX_EXTRAS_TRUE | prefix | datarootdir | datadir | cpubuilddir],
      [AS_VAR_COPY([rd_value], [$rd_variable]); AS_VAR_APPEND([rd_build], ["$rd_variable=$rd_value "])])
  done
  rd_build=`AS_ECHO(["$rd_build"]) | cksum | sed 's/ .*//'`
  AC_DEFINE_UNQUOTED([RD_BUILD], [$rd_build], [Another build has another number.])
])

# RD_SUMMARY: the end of configure, the list of what this build has and lacks, with the reason and the remedy.
AC_DEFUN([RD_SUMMARY], [
  AS_IF([test -n "$rd_native"], [rd_cpu="this machine's alone:$rd_native"], [rd_cpu="any of this architecture"])
  AS_IF([test -n "$LTO_CFLAGS"], [rd_lto="yes:$LTO_CFLAGS"],
    [test -n "$SAN_CFLAGS"], [rd_lto="no: a build with sanitizers"],
    [test "$enable_lto" = no], [rd_lto="no: --disable-lto"], [rd_lto="no: $CC links nothing with -flto"])
  AS_IF([test "$have_fathom" = yes], [rd_syzygy=yes],
    [test "$with_fathom" = no], [rd_syzygy="no: --without-fathom"],
    [rd_syzygy="no: tbprobe.h or libfathom is missing (Debian: libfathom-dev)"])
  AS_IF([test "$enable_linux_extras" = yes], [rd_extras=yes],
    [test "$rd_linux" = yes], [rd_extras="no: --disable-linux-extras"], [rd_extras="no: only on Linux"])
  AS_IF([test "$have_microhttpd" = yes && test "$have_sqlite" = yes], [rd_serve=yes],
    [rd_serve="no: libmicrohttpd or SQLite is missing (Debian: libmicrohttpd-dev, libsqlite3-dev)"])
  AS_IF([test "$have_check" = no], [rd_tests="scripts alone: Check is missing (Debian: check)"],
    [test "$have_microhttpd" = no],
    [rd_tests="all but those with a server: libmicrohttpd is missing (Debian: libmicrohttpd-dev)"], [rd_tests=all])
  AC_MSG_NOTICE([this build:
  compiler                          $CC ($CFLAGS)
  CPU                               $rd_cpu
  link-time optimisation            $rd_lto
  sanitizers                       ${SAN_CFLAGS:- none}
  LMR rows                          ${LMR:-as in the table}
  Syzygy tables                     $rd_syzygy
  sandbox, CPU binding, limits      $rd_extras
  obworker serve                    $rd_serve
  tests (make check)                $rd_tests])
])
