// The requests that a worker admits under overload control (PARD-oc, section 5.3), after DAGOR (Zhou et
// al., SoCC'18).
#pragma once

#include <cstdint>

#include "harness/core/hash.h"
#include "harness/core/random_stream.h"
#include "harness/core/types.h"

namespace harness {

/// The level below which a worker admits requests, by their priority. A request has the same priority in
/// every module, so that modules with the same level admit the same requests (DAGOR's consistent priority).
class AdmissionLevel {
 public:
  explicit AdmissionLevel(std::uint64_t seed) : key_(RandomStream(seed, "pard_admission").bits()) {}

  void set(double level) { level_ = level; }
  bool admits(RequestId request) const { return level_ >= 1 || priority(request) < level_; }
  /// Returns the request's priority, uniform in [0, 1).
  double priority(RequestId request) const {
    return static_cast<double>(mix64(key_ ^ mix64(request + 1)) >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t key_;
  double level_ = 1;
};

}  // namespace harness
