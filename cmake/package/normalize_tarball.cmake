# Run by cpack when the packages are there. cpack's tarballs have the owner, the order and the times of the files on this machine:
# they are packed again without, and get a file with their checksum, as the registry of workers publishes them.
if(NOT CPACK_GENERATOR STREQUAL TGZ)
  return()
endif()
set(epoch $ENV{SOURCE_DATE_EPOCH})
if(NOT epoch)
  string(TIMESTAMP epoch %s)
endif()
foreach(tarball IN LISTS CPACK_PACKAGE_FILES)
  set(tree ${tarball}.tree)
  file(REMOVE_RECURSE ${tree})
  file(MAKE_DIRECTORY ${tree})
  execute_process(COMMAND tar --extract --gzip --file ${tarball} --directory ${tree} COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB entries RELATIVE ${tree} ${tree}/*)
  execute_process(
    COMMAND tar --create --format=ustar --sort=name --mtime=@${epoch} --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX
            --directory ${tree} ${entries}
    COMMAND gzip --no-name --best
    OUTPUT_FILE ${tarball} COMMAND_ERROR_IS_FATAL ANY)
  file(REMOVE_RECURSE ${tree})
  file(SHA256 ${tarball} checksum)
  cmake_path(GET tarball FILENAME name)
  file(WRITE ${CPACK_PACKAGE_DIRECTORY}/${name}.sha256 "${checksum}  ${name}\n")
endforeach()
