# Cross-compiles for Debian armhf with clang and the libraries `:armhf` (multiarch). scripts/package --arch armhf uses it in a
# chroot of its own.
set(III_DEBIAN_ARCHITECTURE armhf)
set(III_CROSS_TRIPLET arm-linux-gnueabihf)
set(CMAKE_SYSTEM_PROCESSOR armv7)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-arm-static)
include(${CMAKE_CURRENT_LIST_DIR}/toolchain-multiarch.cmake)
# Times after 2038, files over 2 GB and inode numbers of 64 bits.
set(CMAKE_CXX_FLAGS_INIT "-D_FILE_OFFSET_BITS=64 -D_TIME_BITS=64")
