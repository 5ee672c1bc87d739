# A room is one folder under src/: a static library `iii_<name>`, and beside it `<name>_test` made of
# the `*_test.cpp` files that stand next to the code they test.
#
#   iii_room(ws SOURCES decoder.cpp TESTS decoder_test.cpp DEPS iii_base)

include(GoogleTest)

function(iii_room name)
  cmake_parse_arguments(ROOM "" "" "SOURCES;TESTS;DEPS;TEST_DEPS" ${ARGN})
  add_library(iii_${name} STATIC ${ROOM_SOURCES})
  target_include_directories(iii_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(iii_${name} PUBLIC ${ROOM_DEPS})
  iii_use_pch(iii_${name} iii_pch)
  if(ROOM_TESTS)
    add_executable(${name}_test ${ROOM_TESTS})
    target_link_libraries(${name}_test PRIVATE iii_${name} ${ROOM_TEST_DEPS} GTest::gmock_main)
    iii_use_pch(${name}_test iii_test_pch)
    gtest_discover_tests(${name}_test TEST_PREFIX "${name}/" DISCOVERY_TIMEOUT 60)
  endif()
endfunction()
