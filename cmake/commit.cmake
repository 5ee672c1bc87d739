# Writes the commit that is being built into a header, at every build: `cmake -DOUT=FILE -DSOURCE=DIR -P commit.cmake`.
# The file is touched only when the commit changes. A source tree without git has the commit `unknown`.
set(commit "unknown")
find_program(GIT git)
if(GIT)
  execute_process(COMMAND ${GIT} -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
                  OUTPUT_VARIABLE found RESULT_VARIABLE failed OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(failed EQUAL 0)
    set(commit ${found})
  endif()
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT "#define III_COMMIT \"${commit}\"\n")
