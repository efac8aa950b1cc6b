# SPDX-License-Identifier: MIT
# RD_CPU_BUILDS: --with-cpu-builds=DIR, where `reductio` looks for builds for newer CPUs when it
# starts (engine/cpubuild.h). For packages, whose own build is for every CPU.
AC_DEFUN([RD_CPU_BUILDS], [
  AC_ARG_WITH([cpu-builds], [AS_HELP_STRING([--with-cpu-builds=DIR],
    [execute DIR/reductio-x86-64-v3 and the like on CPUs that can @<:@no@:>@])],
    [], [with_cpu_builds=no])
  AS_CASE([$with_cpu_builds], [no], [cpubuilddir=], [/*], [cpubuilddir=$with_cpu_builds],
    [AC_MSG_ERROR([--with-cpu-builds=$with_cpu_builds: give the folder by its absolute path])])
  AC_SUBST([cpubuilddir])
])
