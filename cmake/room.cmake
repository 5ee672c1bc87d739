# A room is one folder under src/: a static library `iii_<name>`, and beside it the target `iii_<name>_test` (program
# `<name>_test`) made of the `*_test.cpp` files that stand next to the code they test.
#
#   iii_room(ws SOURCES decoder.cpp TESTS decoder_test.cpp DEPS iii_base)
#
# TEST_DATA: the tests get the path of tests/data as III_TEST_DATA.
#
# With III_SDK_ONLY a room is no target: its sources become part of the one library (sdk_package.cmake), so that a
# project that includes this one may give its targets any name.

if(NOT III_SDK_ONLY)
  include(GoogleTest)
endif()

function(iii_room name)
  cmake_parse_arguments(ROOM "TEST_DATA" "" "SOURCES;TESTS;DEPS;TEST_DEPS" ${ARGN})
  if(III_SDK_ONLY)
    list(TRANSFORM ROOM_SOURCES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
    set_property(GLOBAL APPEND PROPERTY III_SDK_SOURCES ${ROOM_SOURCES})
    return()
  endif()
  add_library(iii_${name} STATIC ${ROOM_SOURCES})
  target_include_directories(iii_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(iii_${name} PUBLIC ${ROOM_DEPS})
  iii_use_pch(iii_${name} iii_pch)
  if(ROOM_TESTS)
    set(test iii_${name}_test)
    add_executable(${test} ${ROOM_TESTS})
    set_target_properties(${test} PROPERTIES OUTPUT_NAME ${name}_test)
    target_link_libraries(${test} PRIVATE iii_${name} ${ROOM_TEST_DEPS} GTest::gmock_main)
    if(ROOM_TEST_DATA)
      target_compile_definitions(${test} PRIVATE III_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
    endif()
    iii_use_pch(${test} iii_test_pch)
    gtest_discover_tests(${test} TEST_PREFIX "${name}/" DISCOVERY_TIMEOUT 60)
  endif()
endfunction()
