# What `cmake --install` and `cpack` make of the program (component `program`): a Debian package with a stripped binary.
# scripts/package builds it and tests it in a clean chroot.

include(GNUInstallDirs)

install(TARGETS iii-directory RUNTIME DESTINATION bin COMPONENT program)
file(GLOB manual_pages CONFIGURE_DEPENDS docs/man/*.1)
install(FILES ${manual_pages} DESTINATION share/man/man1 COMPONENT program)
install(FILES docs/completion/iii-directory.bash DESTINATION share/bash-completion/completions RENAME iii-directory COMPONENT program)
install(FILES docs/completion/_iii-directory DESTINATION share/zsh/vendor-completions COMPONENT program)
install(FILES docs/completion/iii-directory.fish DESTINATION share/fish/vendor_completions.d COMPONENT program)
install(FILES README.md CHANGELOG.md docs/configuration.md docs/connect.md docs/errors.md
        DESTINATION share/doc/iii-directory COMPONENT program)
install(FILES NOTICE DESTINATION share/doc/iii-directory COMPONENT program)
install(FILES LICENSE DESTINATION share/doc/iii-directory RENAME copyright COMPONENT program)
install(FILES packaging/iii-directory.service DESTINATION /lib/systemd/system COMPONENT program)
install(FILES packaging/iii-directory.yaml DESTINATION /etc/iii-directory COMPONENT program)
install(FILES packaging/iii-directory.default DESTINATION /etc/default RENAME iii-directory COMPONENT program)

# Only the program is packed, so only it has to be built.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME iii-directory)
set(CPACK_PACKAGE_VENDOR "iii-directory maintainers")
set(CPACK_PACKAGE_CONTACT "iii-directory maintainers <maintainers@iii-directory.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "skills, prompts and a function bus for AI agents")
set(CPACK_PACKAGE_DESCRIPTION
    "Serves skills and prompts from folders to agents, over MCP and over the iii function bus, downloads
them from registries and git repositories, and contains an engine to which iii workers connect.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL program)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION net)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "adduser, ca-certificates, git, init-system-helpers")
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
file(WRITE ${PROJECT_BINARY_DIR}/package/conffiles "/etc/iii-directory/iii-directory.yaml\n/etc/default/iii-directory\n")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
    ${PROJECT_SOURCE_DIR}/packaging/postinst ${PROJECT_SOURCE_DIR}/packaging/prerm ${PROJECT_SOURCE_DIR}/packaging/postrm
    ${PROJECT_BINARY_DIR}/package/conffiles)
include(CPack)
