// A check of packets by their numbers.
#pragma once

#include <cstdint>

namespace harness {

/// A check of the packets from one source by their numbers. A number that was passed before is a repetition,
/// to be discarded; numbers that are left out are lost packets. (An overtaken packet counts as lost and then
/// as repeated: neither MPI nor the tests' transport lets packets of a pair overtake each other.)
class SequenceCheck {
 public:
  /// Returns true if the packet is to be handed over.
  bool accept(std::uint64_t sequence);
  std::uint64_t lost() const { return lost_; }
  std::uint64_t repeated() const { return repeated_; }

 private:
  std::uint64_t next_ = 0;
  std::uint64_t lost_ = 0;
  std::uint64_t repeated_ = 0;
};

}  // namespace harness
