// The row that a run leaves for each of its requests.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "harness/core/drop_reason.h"
#include "harness/core/types.h"

namespace harness {

/// The way in which a request ended.
enum class Outcome : std::uint8_t { kInTime, kLate, kDropped, kUnfinished };
inline constexpr std::array<const char*, 4> kOutcomeNames = {"in_time", "late", "dropped", "unfinished"};
inline const char* name_of(Outcome outcome) { return kOutcomeNames[static_cast<std::size_t>(outcome)]; }

/// One finished request; written in order of ending.
struct RequestRow {
  std::uint64_t request = 0;
  TimeNs sent_ns = 0;
  TimeNs end_ns = 0;         ///< time at which its last module was done, or at which it was dropped
  TimeNs gpu_ns = 0;         ///< GPU time of its visits: each batch's time shared equally
  std::uint16_t module = 0;  ///< module that dropped it; otherwise the last module
  Outcome outcome = Outcome::kUnfinished;
  DropReason reason = DropReason::kExpired;  ///< meaningful only if it was dropped
  TimeNs schedule_lag_ns = 0;  ///< delay of its sending after sent_ns, when it was due; 0 in virtual time
  std::uint32_t stream = 0;    ///< stream that it belongs to; 0 without streams
  TimeNs slo_ns = 0;           ///< it is in time until sent_ns + slo_ns; 0: not known (from an older file)
  /// Mean over its paths of the product of the accuracies of the models that served them (Loki, section 2.1);
  /// NaN if models have no accuracies, or if it ended before any path did.
  double accuracy = NAN;

  bool operator==(const RequestRow&) const = default;
};

}  // namespace harness
