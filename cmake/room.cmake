# A room is one folder under src/: a static library `iii_<name>`, and beside it the target `iii_<name>_test` (program
# `<name>_test`) made of the `*_test.cpp` files that stand next to the code they test.
#
#   iii_room(ws SOURCES decoder.cpp TESTS decoder_test.cpp DEPS iii_base)
#
# TEST_DATA: the tests that get the path of tests/data as III_TEST_DATA. Only those: in another checkout it is another path, and
# ccache has no object for them.
#
# With III_SDK_ONLY a room is no target: its sources become part of the one library (sdk_package.cmake), so that a
# project that includes this one may give its targets any name.

# A third of the time to compile a file alone goes into the headers that it includes. The files of a room are therefore compiled in
# batches: names in anonymous namespaces are unique in a room. A batch is small enough that an edit waits for seconds, and the
# batches of a room are of about one size, so that the last one does not keep a core waiting. Files that include the same central header stand
# side by side in SOURCES: the fewer batches include it, the less is compiled when it changes. The preset `files` compiles each file
# alone, which finds missing includes. CMake's own UNITY_BUILD is not used: it includes files by absolute path, and ccache would have
# no object for another checkout. ALONE names the files that have options of their own.
option(III_BATCHES "Compile the files of a room in batches" ON)
set(III_BATCH_BYTES 40000)

# Sets `out` to the files that are compiled: a batch in place of its members.
function(iii_batches out name)
  cmake_parse_arguments(BATCH "" "" "SOURCES;ALONE" ${ARGN})
  set(files ${BATCH_SOURCES})
  if(BATCH_ALONE)
    list(REMOVE_ITEM files ${BATCH_ALONE})
  endif()
  file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR}/src ${CMAKE_CURRENT_SOURCE_DIR})
  set(total 0)
  foreach(file IN LISTS files)
    file(SIZE ${CMAKE_CURRENT_SOURCE_DIR}/${file} size)
    math(EXPR total "${total} + ${size}")
  endforeach()
  math(EXPR count "(${total} + ${III_BATCH_BYTES} - 1) / ${III_BATCH_BYTES}")
  set(bytes 0)
  foreach(file IN LISTS files)
    # A file belongs to the batch in whose share of the bytes its middle is.
    file(SIZE ${CMAKE_CURRENT_SOURCE_DIR}/${file} size)
    math(EXPR number "(${bytes} + ${size} / 2) * ${count} / ${total} + 1")
    math(EXPR bytes "${bytes} + ${size}")
    string(APPEND batch_${number} "#include \"${folder}/${file}\"\n")
  endforeach()
  set(compiled ${BATCH_ALONE})
  foreach(number RANGE 1 ${count})
    if(batch_${number})
      set(path ${CMAKE_CURRENT_BINARY_DIR}/${name}_batch_${number}.cpp)
      file(CONFIGURE OUTPUT ${path} CONTENT "${batch_${number}}" @ONLY)  # written only when it differs
      list(APPEND compiled ${path})
    endif()
  endforeach()
  set(${out} ${compiled} PARENT_SCOPE)
endfunction()

if(NOT III_SDK_ONLY)
  add_custom_target(unit_tests)  # all of their programs
endif()

# iii_unit_tests(TARGET NAME [SHARDS]): one ctest for a program of GoogleTest. One process per case would spend most of the time
# starting processes. A program that takes long is divided into SHARDS, which run at the same time.
function(iii_unit_tests target name)
  if(ARGC GREATER 2)
    set(shards ${ARGV2})
  else()
    set(shards 1)
  endif()
  add_dependencies(unit_tests ${target})
  math(EXPR last "${shards} - 1")
  foreach(shard RANGE ${last})
    set(test unit/${name})
    if(shards GREATER 1)
      string(APPEND test /${shard})
    endif()
    add_test(NAME ${test} COMMAND ${target} --gtest_brief=1)
    set_tests_properties(${test} PROPERTIES LABELS unit TIMEOUT 900 COST 60
                         ENVIRONMENT "GTEST_TOTAL_SHARDS=${shards};GTEST_SHARD_INDEX=${shard}")
  endforeach()
endfunction()

function(iii_room name)
  cmake_parse_arguments(ROOM "" "SHARDS" "SOURCES;ALONE;TESTS;DEPS;TEST_DEPS;TEST_DATA" ${ARGN})
  if(III_SDK_ONLY)
    list(TRANSFORM ROOM_SOURCES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
    set_property(GLOBAL APPEND PROPERTY III_SDK_SOURCES ${ROOM_SOURCES})
    return()
  endif()
  set(compiled ${ROOM_SOURCES})
  if(III_BATCHES)
    iii_batches(compiled ${name} SOURCES ${ROOM_SOURCES} ALONE ${ROOM_ALONE})
  endif()
  add_library(iii_${name} STATIC ${compiled})
  target_include_directories(iii_${name} PUBLIC ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(iii_${name} PUBLIC ${ROOM_DEPS})
  iii_use_pch(iii_${name} library)
  if(ROOM_TESTS)
    set(test iii_${name}_test)
    add_executable(${test} ${ROOM_TESTS})
    set_target_properties(${test} PROPERTIES OUTPUT_NAME ${name}_test)
    target_link_libraries(${test} PRIVATE iii_${name} ${ROOM_TEST_DEPS} GTest::gmock_main)
    set_property(SOURCE ${ROOM_TEST_DATA} APPEND PROPERTY COMPILE_DEFINITIONS
                 III_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data")
    iii_test_program(${test})
    iii_unit_tests(${test} ${name} ${ROOM_SHARDS})
  endif()
endfunction()
