// The fingerprint of a run.
#pragma once

#include <cstdint>

#include "harness/core/types.h"

namespace harness {

/// The value into which a run's decisions are mixed, in order.
class Fingerprint {
 public:
  explicit Fingerprint(std::uint64_t value) : value_(value) {}
  void add(TimeNs now, std::uint64_t what) {
    std::uint64_t mixed = (value_ ^ static_cast<std::uint64_t>(now)) * 0x9e3779b97f4a7c15ULL;
    mixed = (mixed ^ (mixed >> 32) ^ what) * 0xd6e8feb86659fd93ULL;
    value_ = mixed ^ (mixed >> 29);
  }
  std::uint64_t value() const { return value_; }

 private:
  std::uint64_t value_;
};

}  // namespace harness
