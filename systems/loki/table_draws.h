// The numbers by which entries of routing tables are drawn (Loki, section 5.1: tables hold probabilities).
#pragma once

#include <cstdint>
#include <string_view>

#include "harness/core/random_stream.h"
#include "harness/core/types.h"
#include "systems/loki/routing_params.h"

namespace harness {

/// The random numbers of one router, in its thread. They lie in [0, 1) and are independent and uniform or
/// (Draw::kEven, reconstructed) steps of the golden ratio. The first n parts of these steps lie as evenly as
/// can be for every n at once, so that workers of equal probability are taken nearly in turns.
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
  /// Returns the stream for choices that are random under either kind of draw.
  RandomStream& random() { return random_; }

 private:
  static constexpr double kGoldenRatio = 0.6180339887498949;  ///< golden ratio less 1

  RandomStream random_;
  bool even_;
  double at_ = 0;
};

}  // namespace harness
