# Cross-compiles for Debian arm64 with clang and the libraries `:arm64` (multiarch). scripts/package --arch arm64 uses it in a
# chroot of its own.
set(III_DEBIAN_ARCHITECTURE arm64)
set(III_CROSS_TRIPLET aarch64-linux-gnu)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64-static)
include(${CMAKE_CURRENT_LIST_DIR}/toolchain-multiarch.cmake)
