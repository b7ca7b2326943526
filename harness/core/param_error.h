// Errors for values of parameters that are refused by code which does not know where they were set.
#pragma once

#include <string>
#include <utility>

#include "harness/core/input_error.h"

namespace harness {

/// Bad input: a value of a system's parameter that the cluster or the pipeline of a run does not allow, as
/// only the system can tell. The system does not know where the value was set; the reader of experiments
/// does.
class ParamError : public InputError {
 public:
  /// `place.key` is "SYSTEM.PARAMETER".
  ParamError(InputPlace place, std::string found, std::string allowed)
      : InputError(input_error(place, found, allowed)),
        place_(std::move(place)),
        found_(std::move(found)),
        allowed_(std::move(allowed)) {}

  const std::string& key() const { return place_.key; }
  /// Returns the same error with the file and the line where the value was set.
  ParamError set_at(const InputPlace& place) const {
    return {{place.file, place.line, place_.key}, found_, allowed_};
  }

 private:
  InputPlace place_;
  std::string found_;
  std::string allowed_;
};

}  // namespace harness
