# cmake -DVERSION=... -DFOLDER=SOURCES -DOUTPUT=FILE -P: the version of what systems are compiled against. Any change of a header
# is another version, so that no library meets a program whose types are laid out differently.
file(GLOB headers RELATIVE ${FOLDER} ${FOLDER}/harness/core/*.h ${FOLDER}/harness/serving/*.h)
list(FILTER headers EXCLUDE REGEX "/test_[^/]*$")
list(SORT headers)
set(all "")
foreach(header ${headers})
  file(SHA256 ${FOLDER}/${header} hash)
  string(APPEND all "${header} ${hash}\n")
endforeach()
string(SHA256 hash "${all}")
string(SUBSTRING ${hash} 0 12 hash)
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT [[
// Made from the headers of harness/core and harness/serving.
#pragma once

namespace harness {

inline constexpr const char* kSdkVersion = "@VERSION@-@hash@";

}  // namespace harness
]] @ONLY)
