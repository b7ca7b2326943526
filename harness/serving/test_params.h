// For tests: parameters of a system by their names.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "harness/serving/system.h"

namespace harness {

using ParamValues = std::vector<std::pair<std::string, ParamValue>>;

/// Sets a system's parameters by name. Throws std::out_of_range if a name is unknown or a value is refused.
inline void set_params(System& system, const ParamValues& values) {
  ParamList list;
  system.list(list);
  for (const auto& [name, value] : values) {
    const Param* param = list.find(name);
    if (param == nullptr || !param->set(value)) throw std::out_of_range(name);
  }
}

}  // namespace harness
