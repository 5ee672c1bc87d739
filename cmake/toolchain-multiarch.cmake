# What the cross toolchains have in common: clang for III_CROSS_TRIPLET, and libraries from the multiarch folders of that triplet.
# Their emulators (package qemu-user-static) let the program write its manual pages while it is built.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_CXX_COMPILER_TARGET ${III_CROSS_TRIPLET})
set(CMAKE_LIBRARY_ARCHITECTURE ${III_CROSS_TRIPLET})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
# pkg-config describes libraries of the target only, never those of this machine.
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/${III_CROSS_TRIPLET}/pkgconfig:/usr/share/pkgconfig)
