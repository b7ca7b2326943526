#include "harness/live/transport/sequence_check.h"

namespace harness {

bool SequenceCheck::accept(std::uint64_t sequence) {
  if (sequence < next_) {
    ++repeated_;
    return false;
  }
  lost_ += sequence - next_;
  next_ = sequence + 1;
  return true;
}

}  // namespace harness
