# Two precompiled headers for all rooms, instead of two for each.

option(III_PCH "Use precompiled headers" ON)

if(III_SDK_ONLY OR NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  set(III_PCH OFF)
endif()

if(III_PCH)
  # ccache compares the header by its content: without time stamps a second checkout gets the same one.
  add_compile_options(-Xclang -fno-pch-timestamp)
  add_library(iii_pch OBJECT cmake/pch/library.cpp)
  target_link_libraries(iii_pch PRIVATE fmt::fmt iii_boost)
  target_precompile_headers(iii_pch PRIVATE cmake/pch/library.h)
  add_executable(iii_test_pch cmake/pch/test.cpp)
  target_link_libraries(iii_test_pch PRIVATE fmt::fmt iii_boost GTest::gmock)
  target_precompile_headers(iii_test_pch PRIVATE cmake/pch/test.h)
endif()

# iii_use_pch(TARGET iii_pch|iii_test_pch)
function(iii_use_pch target header)
  if(III_PCH)
    target_precompile_headers(${target} REUSE_FROM ${header})
  endif()
endfunction()
