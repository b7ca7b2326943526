// The numbers by which entries of routing tables are drawn (Loki, section 5.1: tables hold probabilities).
#pragma once

#include <cstdint>
#include <string_view>

#include "harness/core/random.h"
#include "harness/core/types.h"
#include "systems/loki/routing_params.h"

namespace harness {

/// Of one router, in its thread. Numbers in [0, 1): independent and uniform, or (Draw::kEven, reconstructed)
/// steps of the golden ratio, whose first n parts lie as evenly as can be for every n at once, so that
/// workers of equal probability are taken nearly in turns.
class TableDraws {
 public:
  TableDraws(Draw draw, std::uint64_t seed, std::string_view name, ModuleId task)
      : random_(seed, name, task), even_(draw == Draw::kEven) {}

  double next() {
    if (!even_) return random_.uniform();
    at_ += kGoldenRatio;
    if (at_ >= 1) at_ -= 1;
    return at_;
  }
  /// For what is chosen at random under either.
  RandomStream& random() { return random_; }

 private:
  static constexpr double kGoldenRatio = 0.6180339887498949;  ///< less 1

  RandomStream random_;
  bool even_;
  double at_ = 0;
};

}  // namespace harness
