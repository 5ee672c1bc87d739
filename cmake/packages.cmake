# The third-party packages. The first part is all that the SDK needs.

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(simdjson REQUIRED)
find_package(OpenSSL REQUIRED)

find_package(Boost 1.81 REQUIRED)
set(III_BOOST_DEFINITIONS BOOST_ASIO_NO_DEPRECATED BOOST_ASIO_SEPARATE_COMPILATION BOOST_BEAST_USE_STD_STRING_VIEW)

if(NOT III_SDK_ONLY)
  # Boost headers are not ours: their warnings are not errors of ours.
  add_library(iii_boost INTERFACE)
  target_include_directories(iii_boost SYSTEM INTERFACE ${Boost_INCLUDE_DIRS})
  target_compile_definitions(iii_boost INTERFACE ${III_BOOST_DEFINITIONS})

  find_package(PkgConfig REQUIRED)
  find_package(GTest REQUIRED)
  pkg_check_modules(SQLITE REQUIRED IMPORTED_TARGET sqlite3)
  pkg_check_modules(YAML REQUIRED IMPORTED_TARGET yaml-0.1)
  pkg_check_modules(CURL REQUIRED IMPORTED_TARGET libcurl)
  pkg_check_modules(MD4C REQUIRED IMPORTED_TARGET md4c)
  pkg_check_modules(RE2 REQUIRED IMPORTED_TARGET re2)
  find_package(ZLIB REQUIRED)
  pkg_check_modules(UTF8PROC REQUIRED IMPORTED_TARGET libutf8proc)
  pkg_check_modules(CMARK REQUIRED IMPORTED_TARGET libcmark-gfm)
  # Only the first of the two libraries has a pkg-config file.
  find_library(III_CMARK_EXTENSIONS cmark-gfm-extensions REQUIRED)
  add_library(iii_cmark INTERFACE)
  target_link_libraries(iii_cmark INTERFACE ${III_CMARK_EXTENSIONS} PkgConfig::CMARK)
  # libstemmer has neither a CMake nor a pkg-config file.
  find_library(III_STEMMER_LIBRARY stemmer REQUIRED)
  find_path(III_STEMMER_INCLUDE libstemmer.h REQUIRED)
  add_library(iii_stemmer INTERFACE)
  target_include_directories(iii_stemmer SYSTEM INTERFACE ${III_STEMMER_INCLUDE})
  target_link_libraries(iii_stemmer INTERFACE ${III_STEMMER_LIBRARY})
endif()
