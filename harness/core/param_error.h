// Values of parameters that are refused where it is not known where they were set.
#pragma once

#include <string>
#include <utility>

#include "harness/core/error.h"

namespace harness {

/// Bad input: a value of a system's parameter that the cluster or the pipeline of a run does not allow, which
/// only the system can say. It does not know where the value was set; whoever reads experiments does.
class ParamError : public InputError {
 public:
  /// `place.key`: "SYSTEM.PARAMETER".
  ParamError(InputPlace place, std::string found, std::string allowed)
      : InputError(input_error(place, found, allowed)),
        place_(std::move(place)),
        found_(std::move(found)),
        allowed_(std::move(allowed)) {}

  const std::string& key() const { return place_.key; }
  /// The same with the file and the line where the value was set.
  ParamError set_at(const InputPlace& place) const {
    return {{place.file, place.line, place_.key}, found_, allowed_};
  }

 private:
  InputPlace place_;
  std::string found_;
  std::string allowed_;
};

}  // namespace harness
