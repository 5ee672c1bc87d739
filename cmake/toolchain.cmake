# Language level, warnings, sanitizers, ccache and the third-party packages every room may ask for.

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_FLAGS_DEBUG "-O0 -g1")
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -g1 -DNDEBUG")
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O1 -g1 -fno-omit-frame-pointer")

find_program(III_CCACHE ccache)
if(III_CCACHE)
  # A second checkout gets the same objects: paths below the source folder are made relative, and the settings that
  # ccache wants for precompiled headers are given here rather than asked of the user.
  set(CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1
      CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime ${III_CCACHE})
endif()

add_compile_options(-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wnon-virtual-dtor -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  # Fields left out of a designated initialiser have defaults of their own: that is what they are for.
  add_compile_options(-Wthread-safety -Wno-missing-designated-field-initializers)
  add_link_options(-fuse-ld=lld-19)
else()
  # g++ 12 reports these inside the standard library's own templates at -O2.
  add_compile_options(-Wno-missing-field-initializers -Wno-restrict -Wno-maybe-uninitialized -Wno-stringop-overflow
                      -Wno-stringop-overread -Wno-array-bounds)
endif()

if(III_SANITIZE)
  add_compile_options(-fsanitize=${III_SANITIZE} -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${III_SANITIZE})
endif()

find_package(Threads REQUIRED)
# Everywhere, so that one precompiled header fits all.
add_compile_options(-pthread)
find_package(PkgConfig REQUIRED)
find_package(GTest REQUIRED)
find_package(fmt REQUIRED)
find_package(simdjson REQUIRED)
find_package(OpenSSL REQUIRED)
pkg_check_modules(SQLITE REQUIRED IMPORTED_TARGET sqlite3)
pkg_check_modules(YAML REQUIRED IMPORTED_TARGET yaml-0.1)
pkg_check_modules(CURL REQUIRED IMPORTED_TARGET libcurl)
pkg_check_modules(MD4C REQUIRED IMPORTED_TARGET md4c)
pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)
pkg_check_modules(UTF8PROC REQUIRED IMPORTED_TARGET libutf8proc)

find_package(Boost 1.81 REQUIRED)
# Boost headers are not ours: their warnings are not errors of ours.
add_library(iii_boost INTERFACE)
target_include_directories(iii_boost SYSTEM INTERFACE ${Boost_INCLUDE_DIRS})
target_compile_definitions(iii_boost INTERFACE BOOST_ASIO_NO_DEPRECATED
                           BOOST_ASIO_SEPARATE_COMPILATION BOOST_BEAST_USE_STD_STRING_VIEW)
