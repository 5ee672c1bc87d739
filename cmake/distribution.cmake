# What `cmake --install` and `cpack` make of the program. scripts/package builds all of it and tests it.
#
#   component   contents                                               packed as
#   program     the program, manual, documents, completions, service   iii-directory_VERSION_ARCH.deb
#   worker      the program and its descriptor, for the iii            iii-directory-TARGET.tar.gz
#               worker manager; manual, documents, completions
#   debug       debug symbols, found by build id                       iii-directory-dbgsym_VERSION_ARCH.deb,
#                                                                      iii-directory-TARGET-debug.tar.gz
#
# Dates in the packages are SOURCE_DATE_EPOCH, when that is set.

include(GNUInstallDirs)

# The program without symbols, and its symbols below .build-id/, where debuggers look for them. The objcopy of the target's own
# binutils: a cross build has both.
set(III_PACKAGED ${PROJECT_BINARY_DIR}/package)
find_program(III_OBJCOPY NAMES ${CMAKE_LIBRARY_ARCHITECTURE}-objcopy objcopy REQUIRED)
find_program(III_READELF NAMES ${CMAKE_LIBRARY_ARCHITECTURE}-readelf readelf REQUIRED)
add_custom_command(
  OUTPUT ${III_PACKAGED}/iii-directory
  COMMAND ${CMAKE_COMMAND} -DPROGRAM=$<TARGET_FILE:iii-directory> -DOUT=${III_PACKAGED} -DOBJCOPY=${III_OBJCOPY}
          -DREADELF=${III_READELF} -P ${PROJECT_SOURCE_DIR}/cmake/package/split_debug.cmake
  DEPENDS iii-directory ${PROJECT_SOURCE_DIR}/cmake/package/split_debug.cmake
  COMMENT "Separating the debug symbols"
  VERBATIM)
# Manual pages, completion scripts and the schemas of --json, written by the program itself. In a cross build CMake runs it with the
# emulator of the toolchain (CMAKE_CROSSCOMPILING_EMULATOR).
set(III_WRITTEN ${PROJECT_BINARY_DIR}/docs)
add_custom_command(
  OUTPUT ${III_WRITTEN}/man/iii-directory.1
  COMMAND ${CMAKE_COMMAND} -E rm -rf ${III_WRITTEN}
  COMMAND iii-directory help --write ${III_WRITTEN}
  DEPENDS iii-directory
  COMMENT "Writing manual pages, completion scripts and schemas"
  VERBATIM)
# README.md and docs/, without links to what is not packed.
set(III_DOCUMENTS ${III_PACKAGED}/documents)
file(GLOB_RECURSE pages CONFIGURE_DEPENDS docs/*.md docs/images/*)
add_custom_command(
  OUTPUT ${III_DOCUMENTS}/README.md
  COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DOUT=${III_DOCUMENTS} -P ${PROJECT_SOURCE_DIR}/cmake/package/documents.cmake
  DEPENDS ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md ${pages} ${PROJECT_SOURCE_DIR}/cmake/package/documents.cmake
  COMMENT "Gathering the documents"
  VERBATIM)
# Part of a release build, so that the tests of the packages need not build anything.
set(always)
if(CMAKE_BUILD_TYPE STREQUAL Release AND NOT III_SANITIZE)
  set(always ALL)
endif()
add_custom_target(packaged_program ${always}
  DEPENDS ${III_PACKAGED}/iii-directory ${III_WRITTEN}/man/iii-directory.1 ${III_DOCUMENTS}/README.md)

# README.md links to both beside it; a Debian package has the licence as `copyright`, too.
set(documents packaging/grafana-dashboard.json LICENSE NOTICE)

install(PROGRAMS ${III_PACKAGED}/iii-directory DESTINATION bin COMPONENT program)
install(DIRECTORY ${III_WRITTEN}/man/ DESTINATION share/man/man1 COMPONENT program)
install(FILES ${III_WRITTEN}/completion/iii-directory.bash DESTINATION share/bash-completion/completions RENAME iii-directory COMPONENT program)
install(FILES ${III_WRITTEN}/completion/_iii-directory DESTINATION share/zsh/vendor-completions COMPONENT program)
install(FILES ${III_WRITTEN}/completion/iii-directory.fish DESTINATION share/fish/vendor_completions.d COMPONENT program)
install(FILES ${documents} DESTINATION share/doc/iii-directory COMPONENT program)
install(DIRECTORY ${III_DOCUMENTS}/ DESTINATION share/doc/iii-directory COMPONENT program)
install(DIRECTORY ${III_WRITTEN}/cli DESTINATION share/doc/iii-directory/docs COMPONENT program)
install(FILES LICENSE DESTINATION share/doc/iii-directory RENAME copyright COMPONENT program)
install(FILES packaging/iii-directory.service DESTINATION /lib/systemd/system COMPONENT program)
install(FILES packaging/iii-directory.yaml DESTINATION /etc/iii-directory COMPONENT program)
install(FILES packaging/iii-directory.default DESTINATION /etc/default RENAME iii-directory COMPONENT program)

install(DIRECTORY ${III_PACKAGED}/debug/ DESTINATION lib/debug COMPONENT debug FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)

# The worker manager takes the one entry whose file name is that of the worker: nothing else may have that name.
install(PROGRAMS ${III_PACKAGED}/iii-directory DESTINATION . COMPONENT worker EXCLUDE_FROM_ALL)
install(FILES iii.worker.yaml packaging/iii-directory.yaml packaging/INSTALL.md ${documents} DESTINATION . COMPONENT worker EXCLUDE_FROM_ALL)
install(DIRECTORY ${III_DOCUMENTS}/ DESTINATION . COMPONENT worker EXCLUDE_FROM_ALL)
install(DIRECTORY ${III_WRITTEN}/cli DESTINATION docs COMPONENT worker EXCLUDE_FROM_ALL)
install(DIRECTORY ${III_WRITTEN}/man ${III_WRITTEN}/completion DESTINATION . COMPONENT worker EXCLUDE_FROM_ALL)

# Only the program is packed, so only it has to be built.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PROJECT_CONFIG_FILE ${PROJECT_SOURCE_DIR}/cmake/package/cpack_generator.cmake)
set(CPACK_PACKAGE_NAME iii-directory)
set(CPACK_PACKAGE_VENDOR "iii-directory maintainers")
set(CPACK_PACKAGE_CONTACT "iii-directory maintainers <maintainers@iii-directory.invalid>")
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)

set(CPACK_DEB_COMPONENT_INSTALL ON)
if(III_DEBIAN_ARCHITECTURE)
  set(CPACK_DEBIAN_PACKAGE_ARCHITECTURE ${III_DEBIAN_ARCHITECTURE})
endif()
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME iii-directory)
set(CPACK_DEBIAN_PROGRAM_FILE_NAME DEB-DEFAULT)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
    "skills, prompts and a function bus for AI agents
Serves skills and prompts from folders to agents, over MCP and over the iii function bus, downloads
them from registries and git repositories, and contains an engine to which iii workers connect.")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS "adduser, ca-certificates, git, init-system-helpers")
file(WRITE ${III_PACKAGED}/conffiles "/etc/iii-directory/iii-directory.yaml\n/etc/default/iii-directory\n")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_CONTROL_EXTRA
    ${PROJECT_SOURCE_DIR}/packaging/postinst ${PROJECT_SOURCE_DIR}/packaging/prerm ${PROJECT_SOURCE_DIR}/packaging/postrm
    ${III_PACKAGED}/conffiles)
set(CPACK_DEBIAN_DEBUG_PACKAGE_NAME iii-directory-dbgsym)
set(CPACK_DEBIAN_DEBUG_FILE_NAME DEB-DEFAULT)
set(CPACK_COMPONENT_DEBUG_DESCRIPTION "debug symbols of iii-directory
Debuggers find them by the build id of the program.")
set(CPACK_DEBIAN_DEBUG_PACKAGE_SECTION debug)
set(CPACK_DEBIAN_DEBUG_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_DEBUG_PACKAGE_DEPENDS "iii-directory (= ${PROJECT_VERSION})")

set(CPACK_ARCHIVE_COMPONENT_INSTALL ON)
set(CPACK_ARCHIVE_WORKER_FILE_NAME iii-directory-${III_TARGET})
set(CPACK_ARCHIVE_DEBUG_FILE_NAME iii-directory-${III_TARGET}-debug)
set(CPACK_POST_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/package/normalize_tarball.cmake)
include(CPack)
