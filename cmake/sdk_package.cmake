# The C++ SDK as others use it: one library, `iii::sdk`, and headers under `iii/`.
#
#   target iii::sdk        the same for find_package(iii-sdk) and for add_subdirectory
#   #include <iii/sdk/worker.h>
#   cmake --install BUILD --component iii-sdk
#
# In this tree a header is `src/bus/sdk/worker.h` and is included as "bus/sdk/worker.h". Its public copy, made at build time,
# is `iii/sdk/worker.h` and includes "iii/…" only, so that a `json/value.h` of the user is never mistaken for ours.

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(sdk_rooms base json task protocol ws net sdk)
set(headers_dir ${PROJECT_BINARY_DIR}/include)

# What can be reached from the headers that a worker includes.
file(GLOB room_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/foundation/*/*.h ${PROJECT_SOURCE_DIR}/src/bus/*/*.h)
add_custom_command(
  OUTPUT ${headers_dir}/iii-sdk.stamp
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR}/src -DDESTINATION=${headers_dir}
          -P ${PROJECT_SOURCE_DIR}/cmake/package/public_headers.cmake
  COMMAND ${CMAKE_COMMAND} -E touch ${headers_dir}/iii-sdk.stamp
  DEPENDS ${room_headers} ${PROJECT_SOURCE_DIR}/cmake/package/public_headers.cmake
  COMMENT "Making the public headers of the SDK")
add_custom_target(iii_sdk_headers DEPENDS ${headers_dir}/iii-sdk.stamp)

# One archive with the objects of all its rooms, which are compiled here if they are no targets themselves.
if(III_SDK_ONLY)
  get_property(sources GLOBAL PROPERTY III_SDK_SOURCES)
else()
  list(TRANSFORM sdk_rooms REPLACE "(.+)" "$<TARGET_OBJECTS:iii_\\1>" OUTPUT_VARIABLE sources)
endif()
add_library(iii_sdk_package STATIC ${sources})
target_include_directories(iii_sdk_package PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_include_directories(iii_sdk_package SYSTEM PRIVATE ${Boost_INCLUDE_DIRS})
target_compile_definitions(iii_sdk_package PRIVATE ${III_BOOST_DEFINITIONS} III_SDK_VERSION="${PROJECT_VERSION}")
add_library(iii::sdk ALIAS iii_sdk_package)
set_target_properties(iii_sdk_package PROPERTIES OUTPUT_NAME iii-sdk EXPORT_NAME sdk LINKER_LANGUAGE CXX)
add_dependencies(iii_sdk_package iii_sdk_headers)
target_compile_features(iii_sdk_package PUBLIC cxx_std_23)
target_include_directories(iii_sdk_package INTERFACE $<BUILD_INTERFACE:${headers_dir}>
                           $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_link_libraries(iii_sdk_package PUBLIC fmt::fmt Threads::Threads
                      PRIVATE simdjson::simdjson OpenSSL::SSL OpenSSL::Crypto)

if(NOT III_SDK_INSTALL)
  return()
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/iii-sdk)
install(TARGETS iii_sdk_package EXPORT iii-sdk ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT iii-sdk)
install(EXPORT iii-sdk NAMESPACE iii:: DESTINATION ${package_dir} FILE iii-sdk-targets.cmake COMPONENT iii-sdk)
install(DIRECTORY ${headers_dir}/iii DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT iii-sdk)
configure_package_config_file(cmake/package/iii-sdk-config.cmake.in ${PROJECT_BINARY_DIR}/package/iii-sdk-config.cmake
                              INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
# Before 1.0 a new minor version may break what was built for the one before.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/package/iii-sdk-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
# Found from where the file is, so that the package works under any prefix.
file(RELATIVE_PATH prefix_from_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(cmake/package/iii-sdk.pc.in ${PROJECT_BINARY_DIR}/package/iii-sdk.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/package/iii-sdk-config.cmake
              ${PROJECT_BINARY_DIR}/package/iii-sdk-config-version.cmake
        DESTINATION ${package_dir} COMPONENT iii-sdk)
install(FILES ${PROJECT_BINARY_DIR}/package/iii-sdk.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
        COMPONENT iii-sdk)
