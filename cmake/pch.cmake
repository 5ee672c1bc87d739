# Two precompiled headers for everything: `library` (cmake/pch/library.h), and `test` with GoogleTest in addition.
#
# They are not made by target_precompile_headers, because what CMake makes contains the path of the build folder: with ccache
# every file of a second checkout would be compiled again. These contain system headers only, are read from standard input and
# compiled in the folder `/`, and so are the same, byte for byte, in every checkout.

option(III_PCH "Use precompiled headers" ON)

if(III_SDK_ONLY OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  set(III_PCH OFF)
endif()

# Tests are compiled once and run for seconds: optimising them costs more than it saves. The rooms under test are optimised.
set(III_TEST_OPTIONS -O0)

# iii_add_pch(NAME HEADERS file... PACKAGES target... OPTIONS option...)
function(iii_add_pch name)
  cmake_parse_arguments(PCH "" "" "HEADERS;PACKAGES;OPTIONS" ${ARGN})
  list(TRANSFORM PCH_HEADERS PREPEND ${PROJECT_SOURCE_DIR}/cmake/pch/)
  string(TOUPPER ${CMAKE_BUILD_TYPE} type)
  separate_arguments(flags UNIX_COMMAND "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}}")
  if(CMAKE_CXX_COMPILER_TARGET)
    list(PREPEND flags ${CMAKE_CXX_COMPILE_OPTIONS_TARGET}${CMAKE_CXX_COMPILER_TARGET})
  endif()
  get_directory_property(options COMPILE_OPTIONS)
  foreach(package IN LISTS PCH_PACKAGES)
    set(definitions $<TARGET_PROPERTY:${package},INTERFACE_COMPILE_DEFINITIONS>)
    list(APPEND flags "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},$<SEMICOLON>-D>>")
  endforeach()
  set(pch ${PROJECT_BINARY_DIR}/pch/${name}.pch)
  add_custom_command(
    OUTPUT ${pch}
    COMMAND ${PROJECT_SOURCE_DIR}/cmake/pch/build.sh ${pch} ${PCH_HEADERS} -- ${CMAKE_CXX_COMPILER} ${flags}
            ${CMAKE_CXX_COMPILE_OPTIONS_PIC} ${options} ${PCH_OPTIONS} ${CMAKE_CXX23_STANDARD_COMPILE_OPTION}
    DEPENDS ${PCH_HEADERS} ${PROJECT_SOURCE_DIR}/cmake/pch/build.sh
    DEPFILE ${pch}.d
    COMMENT "Precompiling headers: ${name}"
    COMMAND_EXPAND_LISTS VERBATIM)
  add_custom_target(iii_pch_${name} DEPENDS ${pch})
endfunction()

if(III_PCH)
  # Programs are compiled like libraries, so that one precompiled header fits both.
  set(CMAKE_CXX_COMPILE_OPTIONS_PIE ${CMAKE_CXX_COMPILE_OPTIONS_PIC})
  # ccache compares precompiled headers by their content, so they must not contain the time.
  add_compile_options(-Xclang -fno-pch-timestamp)
  iii_add_pch(library HEADERS library.h PACKAGES fmt::fmt iii_boost)
  iii_add_pch(test HEADERS library.h test.h PACKAGES fmt::fmt iii_boost GTest::gmock
              OPTIONS ${III_TEST_OPTIONS} -DGTEST_HAS_PTHREAD=1)
endif()

# iii_use_pch(TARGET library|test). To be called in the folder of the target.
function(iii_use_pch target name)
  if(NOT III_PCH)
    return()
  endif()
  set(pch ${PROJECT_BINARY_DIR}/pch/${name}.pch)
  target_compile_options(${target} PRIVATE "SHELL:-include-pch ${pch}")
  add_dependencies(${target} iii_pch_${name})
  get_target_property(sources ${target} SOURCES)
  set_property(SOURCE ${sources} APPEND PROPERTY OBJECT_DEPENDS ${pch})
endfunction()

# iii_test_program(TARGET): a program that is part of the tests.
function(iii_test_program target)
  target_compile_options(${target} PRIVATE ${III_TEST_OPTIONS})
  iii_use_pch(${target} test)
endfunction()
