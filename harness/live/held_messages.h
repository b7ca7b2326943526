// Messages that an injected fault holds back on a rank.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "harness/engine/event_queue.h"
#include "harness/live/messages.h"

namespace harness {

/// Keeps composed messages until their events are due.
class HeldMessages {
 public:
  HeldMessages(MessageWriter& out, EventQueue& events, std::uint32_t kind)
      : out_(out), events_(events), kind_(kind) {}

  /// The message sets off for `to` at `at_ns`.
  void hold(TimeNs at_ns, int to, std::span<const std::byte> message) {
    std::size_t slot = 0;
    while (slot < held_.size() && !held_[slot].bytes.empty()) ++slot;
    if (slot == held_.size()) held_.emplace_back();
    held_[slot] = {to, {message.begin(), message.end()}};
    events_.push(at_ns, kind_, static_cast<std::uint32_t>(slot));
  }
  /// The event with that index is due.
  void release(std::uint32_t slot) {
    out_.send_composed(held_[slot].to, held_[slot].bytes);
    held_[slot].bytes.clear();
  }

 private:
  struct Held {
    int to = 0;
    std::vector<std::byte> bytes;
  };
  MessageWriter& out_;
  EventQueue& events_;
  std::uint32_t kind_;
  std::vector<Held> held_;  ///< empty bytes: a free slot
};

}  // namespace harness
