# Language level, warnings, sanitizers, ccache. Everything here is set for this folder and below; as part of a larger
# project we choose the language level only, and leave flags, warnings and tools to that project.

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)

# The name of the platform as the registry of workers spells it.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^armv7")
  set(III_TARGET armv7-unknown-linux-gnueabihf)
else()
  set(III_TARGET ${CMAKE_SYSTEM_PROCESSOR}-unknown-linux-gnu)
endif()

if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()
# Packages ship line tables in files of their own (scripts/package); nobody else waits for them.
option(III_DEBUG_INFO "Line tables in the release build" OFF)
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g1")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
if(III_DEBUG_INFO)
  string(APPEND CMAKE_CXX_FLAGS_RELEASE " -g1")
endif()
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1 -fno-omit-frame-pointer")

# The compiler spends a sixth of its time on page faults and TLB misses; with huge pages for its heap it does not. Kernels and
# C libraries that do not have them ignore the setting.
set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env GLIBC_TUNABLES=glibc.malloc.hugetlb=1)
find_program(III_CCACHE ccache)
if(III_CCACHE)
  # A second checkout gets the same objects: paths below the source folder are made relative, and the settings that
  # ccache wants for precompiled headers are given here rather than asked of the user. The language of messages and the time
  # at which the compiler was installed differ between machines, and do not matter.
  list(APPEND CMAKE_CXX_COMPILER_LAUNCHER CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
       CCACHE_COMPILERCHECK=content CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime,locale
       ${III_CCACHE})
endif()

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Werror)
# Fields left out of a designated initialiser have defaults of their own: that is what they are for.
add_compile_options(-Wthread-safety -Wno-missing-designated-field-initializers)
add_link_options(-fuse-ld=lld-19)

if(III_SANITIZE)
  add_compile_options(-fsanitize=${III_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${III_SANITIZE})
endif()
# Everywhere, so that one precompiled header fits all.
add_compile_options(-pthread)
