// A server with continuous batching in virtual time: many sequences at once, each as fast as the others let
// it.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "harness/core/shared_service.h"
#include "harness/core/token_count.h"
#include "harness/core/types.h"

namespace harness {

/// Fluid model of SharedService: between two events all sequences move at constant rates, so progress is
/// exact up to the rounding of event times to whole nanoseconds. Prompts are prefilled in order of arrival,
/// and the sequences that decode progress equally. A sequence whose visit has ended at its first token
/// decodes on. Starts and ends cost O(log n).
class SharedServer {
 public:
  /// `service` outlives this object.
  explicit SharedServer(const SharedService& service) : service_(&service) {}

  /// Starts a visit. Visits beyond the server's slots wait in order of arrival. `now` never falls, and is
  /// never beyond next_ns().
  void start(TimeNs now, WorkerId worker, TokenCount tokens);
  /// Returns the time at which advance() is due: something ends, which changes the rates. kNever if the
  /// server is idle.
  TimeNs next_ns() const;
  /// Brings the server to `now` and appends the workers whose visits have ended.
  void advance(TimeNs now, std::vector<WorkerId>& ended);

 private:
  struct Prompt {
    WorkerId worker = kNone;
    double left = 0;    ///< number of tokens left to prefill
    double decode = 0;  ///< number of tokens to decode after it
  };
  struct Decoding {
    double end = 0;  ///< value of decoded_ at which it is done
    std::uint64_t order = 0;
    WorkerId worker = kNone;  ///< kNone: its visit has ended
  };
  /// The rates in tokens/ns: of the prompt that is prefilled, and of each sequence that decodes.
  struct Rates {
    double prefill = 0;
    double decode = 0;
  };

  bool prefilling() const;
  Rates rates() const;
  void progress(TimeNs now);
  void end_prefill(std::vector<WorkerId>& ended);
  static bool later(const Decoding& a, const Decoding& b) {
    return a.end != b.end ? a.end > b.end : a.order > b.order;
  }

  const SharedService* service_;
  TimeNs at_ns_ = 0;
  std::deque<Prompt> prompts_;      ///< prompts; the first is prefilled, if a slot is free
  std::vector<Decoding> decoding_;  ///< a heap, the next to end first
  double decoded_ = 0;  ///< number of tokens that a sequence decoding all the time would have made
  std::uint64_t started_ = 0;
};

}  // namespace harness
