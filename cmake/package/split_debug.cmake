# cmake -DPROGRAM=FILE -DOUT=DIR -DOBJCOPY=… -DREADELF=… -P split_debug.cmake: writes OUT/<name>, the program without symbols, and
# OUT/debug/.build-id/xx/yyyy.debug, its symbols. They belong together by the build id, which both contain.
function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

cmake_path(GET PROGRAM FILENAME name)
execute_process(COMMAND ${READELF} --notes ${PROGRAM} OUTPUT_VARIABLE notes COMMAND_ERROR_IS_FATAL ANY)
if(NOT notes MATCHES "Build ID: ([0-9a-f][0-9a-f])([0-9a-f]+)")
  message(FATAL_ERROR "${PROGRAM} has no build id")
endif()
set(first ${CMAKE_MATCH_1})
set(rest ${CMAKE_MATCH_2})
set(debug ${OUT}/debug/.build-id/${first}/${rest}.debug)
file(REMOVE_RECURSE ${OUT}/debug)
file(MAKE_DIRECTORY ${OUT}/debug/.build-id/${first})
run(${OBJCOPY} --only-keep-debug --compress-debug-sections ${PROGRAM} ${debug})
run(${OBJCOPY} --strip-unneeded --remove-section=.comment --add-gnu-debuglink=${debug} ${PROGRAM} ${OUT}/${name})
