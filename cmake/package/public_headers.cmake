# Copies every header that can be reached from the public ones to DESTINATION/iii, with includes rewritten from
# "group/room/x.h" to "iii/room/x.h". Files that have not changed are left alone; files that are no longer public are removed.
#
#   cmake -DSOURCE=…/src -DDESTINATION=…/include -P public_headers.cmake

cmake_minimum_required(VERSION 3.25)

set(pending bus/sdk/worker.h)
set(public)
set(copied)
while(pending)
  list(POP_FRONT pending header)
  if(header IN_LIST public)
    continue()
  endif()
  list(APPEND public ${header})
  file(READ ${SOURCE}/${header} text)
  string(REGEX MATCHALL "#include \"[^\"]+" includes "${text}")
  foreach(include IN LISTS includes)
    string(REPLACE "#include \"" "" include "${include}")
    list(APPEND pending ${include})
  endforeach()

  string(REGEX REPLACE "#include \"[a-z]+/" "#include \"iii/" text "${text}")
  string(REGEX REPLACE "^[a-z]+/(.*)$" "\\1" name ${header})
  list(APPEND copied ${name})
  set(copy ${DESTINATION}/iii/${name})
  set(before)
  if(EXISTS ${copy})
    file(READ ${copy} before)
  endif()
  if(NOT before STREQUAL text)
    file(WRITE ${copy} "${text}")
  endif()
endwhile()

file(GLOB_RECURSE copies RELATIVE ${DESTINATION}/iii ${DESTINATION}/iii/*.h)
foreach(copy IN LISTS copies)
  if(NOT copy IN_LIST copied)
    file(REMOVE ${DESTINATION}/iii/${copy})
  endif()
endforeach()
