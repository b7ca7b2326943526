#include "harness/live/transport/wake_board.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <new>
#include <vector>

#include "harness/machine/steady_clock.h"

namespace harness {
namespace {

using Flag = std::atomic<std::uint32_t>;
using Count = std::atomic<std::uint64_t>;
static_assert(Flag::is_always_lock_free && Count::is_always_lock_free && sizeof(Flag) == 4);

constexpr std::size_t kLine = 64;  // bytes of a cache line

}  // namespace

std::size_t WakeBoard::bytes(int ranks) {
  const std::size_t counts = static_cast<std::size_t>(ranks) * sizeof(Count);
  return kLine + (counts + kLine - 1) / kLine * kLine;
}

WakeBoard::WakeBoard(int self, const std::vector<void*>& parts) : self_(self) {
  for (void* part : parts) {
    auto* counts = static_cast<std::byte*>(part) + (part == nullptr ? 0 : kLine);
    slots_.push_back({static_cast<Flag*>(part), reinterpret_cast<Count*>(counts)});
  }
  new (own().asleep) Flag(0);
  for (std::size_t from = 0; from < parts.size(); ++from) new (own().packets + from) Count(0);
}

bool WakeBoard::covers_all() const {
  return std::all_of(slots_.begin(), slots_.end(), [](const Slot& one) { return one.asleep != nullptr; });
}

bool WakeBoard::announce(int to, std::uint64_t packets) const {
  const Slot& other = slot(to);
  // All four accesses are sequentially consistent: either the receiver, which sets asleep before it looks at
  // the counts, sees this one, or it is seen to sleep.
  other.packets[self_].store(packets);
  return other.asleep->load() != 0 && other.asleep->exchange(0) != 0;
}

void WakeBoard::rouse(int to) const {
  syscall(SYS_futex, slot(to).asleep, FUTEX_WAKE, INT_MAX, nullptr, nullptr, 0);
}

void WakeBoard::sleep(TimeNs deadline_ns) const {
  const timespec end = to_timespec(std::max<TimeNs>(deadline_ns, 0));
  syscall(SYS_futex, own().asleep, FUTEX_WAIT_BITSET, 1U, &end, nullptr, FUTEX_BITSET_MATCH_ANY);
}

}  // namespace harness
