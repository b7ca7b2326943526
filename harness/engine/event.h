// An event of a runtime.
#pragma once

#include <cstdint>

#include "harness/core/types.h"

namespace harness {

/// An event: its time, its kind (the runtime's own enumeration) and the object that it concerns.
struct Event {
  TimeNs at_ns = 0;
  std::uint64_t order = 0;  ///< number of events pushed before it
  std::uint32_t kind = 0;
  std::uint32_t index = 0;

  /// True if it comes before `other`. This is one comparison of 128 bits, which compiles to no branch.
  bool before(const Event& other) const { return key() < other.key(); }

 private:
  __extension__ using Key = __int128;
  Key key() const { return (static_cast<Key>(at_ns) << 64) | order; }
};

}  // namespace harness
