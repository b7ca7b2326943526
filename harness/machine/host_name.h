// This host's name.
#pragma once

#include <unistd.h>

#include <array>
#include <string>

namespace harness {

inline std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "a host without name";
}

}  // namespace harness
