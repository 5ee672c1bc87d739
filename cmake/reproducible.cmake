# A release build has the same bytes whatever the folder it is built in: file names in debug information, in `__FILE__` and in
# the names of lambdas start at the source folder. After pch.cmake: the precompiled headers contain system headers only, and must
# be the same in every checkout.
if(PROJECT_IS_TOP_LEVEL AND CMAKE_BUILD_TYPE STREQUAL Release)
  add_compile_options(-ffile-prefix-map=${PROJECT_SOURCE_DIR}=.)
  cmake_path(IS_PREFIX PROJECT_SOURCE_DIR ${PROJECT_BINARY_DIR} inside)
  if(NOT inside)
    add_compile_options(-ffile-prefix-map=${PROJECT_BINARY_DIR}=./build)
  endif()
endif()
