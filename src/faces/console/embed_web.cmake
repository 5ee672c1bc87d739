# Writes OUT/web_files.cpp with the files of the page, gzipped; its scripts become one (bundle_web.cmake). `-n` leaves the time out, so
# the same files give the same bytes. The digest stands in the source text as well: ccache does not know what #embed reads.
#
#   cmake -DWEB=src/faces/console/web -DOUT=build/… -DGZIP=/bin/gzip -P embed_web.cmake
include(${CMAKE_CURRENT_LIST_DIR}/bundle_web.cmake)
set(files icon.svg index.html js/main.js js/theme.js style.css)

set(arrays "")
set(rows "")
set(sums "")
set(number 0)
foreach(file IN LISTS files)
  get_filename_component(folder ${OUT}/web/${file} DIRECTORY)
  file(MAKE_DIRECTORY ${folder})
  if(file MATCHES "[.]js$")
    bundle_web(${WEB}/${file} ${OUT}/web/${file})
  else()
    configure_file(${WEB}/${file} ${OUT}/web/${file} COPYONLY)
  endif()
  execute_process(COMMAND ${GZIP} -9nc ${OUT}/web/${file} OUTPUT_FILE ${OUT}/web/${file}.gz COMMAND_ERROR_IS_FATAL ANY)
  file(SHA256 ${OUT}/web/${file} sum)
  file(SIZE ${OUT}/web/${file} size)
  string(APPEND sums "${file} ${sum}\n")
  string(APPEND arrays "constexpr unsigned char k${number}[] = {\n#embed \"web/${file}.gz\"\n};\n")
  string(APPEND rows "    {\"${file}\", {reinterpret_cast<const char*>(k${number}), sizeof k${number}}, ${size}},\n")
  math(EXPR number "${number} + 1")
endforeach()
string(SHA256 digest "${sums}")
string(SUBSTRING ${digest} 0 16 digest)

file(WRITE ${OUT}/web_files.cpp.new "// Made by console/embed_web.cmake.
#include \"faces/console/web_files.h\"

// #embed is a part of C23 that clang offers in C++, too.
#pragma clang diagnostic ignored \"-Wc23-extensions\"

namespace iii::console {

namespace {

${arrays}
}  // namespace

std::span<const WebFile> web_files() {
  static const WebFile kFiles[] = {
${rows}  };
  return kFiles;
}

std::string_view web_digest() { return \"${digest}\"; }

}  // namespace iii::console
")
file(RENAME ${OUT}/web_files.cpp.new ${OUT}/web_files.cpp)
