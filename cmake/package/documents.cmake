# cmake -DSOURCE=REPOSITORY -DOUT=DIR -P documents.cmake: writes OUT/README.md, OUT/CHANGELOG.md and OUT/docs, the pages as the packages
# have them. A link to something that only the repository has becomes its text; of the pictures those come along that README.md shows.
file(GLOB_RECURSE pages RELATIVE ${SOURCE} ${SOURCE}/docs/*.md)
list(APPEND pages README.md CHANGELOG.md)
file(REMOVE_RECURSE ${OUT})
set(not_packed "CONTRIBUTING\\.md|(bench|examples|packaging|scripts|src|tests)[^)]*")
foreach(page IN LISTS pages)
  file(READ ${SOURCE}/${page} text)
  string(REGEX REPLACE "\\[([^][]*)\\]\\((\\.\\./)*(${not_packed})\\)" "\\1" text "${text}")
  file(WRITE ${OUT}/${page} "${text}")
endforeach()

file(READ ${SOURCE}/README.md text)
string(REGEX MATCHALL "docs/images/[a-z0-9.-]+" pictures "${text}")
list(REMOVE_DUPLICATES pictures)
foreach(picture IN LISTS pictures)
  file(COPY ${SOURCE}/${picture} DESTINATION ${OUT}/docs/images NO_SOURCE_PERMISSIONS)
endforeach()
