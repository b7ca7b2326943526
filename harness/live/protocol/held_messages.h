// The messages that an injected fault holds back on a rank.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "harness/engine/event_queue.h"
#include "harness/engine/mailbox.h"
#include "harness/live/protocol/message_writer.h"

namespace harness {

/// Keeps composed messages until they are due, and pushes an event for each.
class HeldMessages {
 public:
  HeldMessages(MessageWriter& out, EventQueue& events, std::uint32_t kind, int ranks)
      : out_(out), events_(events), kind_(kind), held_for_(static_cast<std::size_t>(ranks), 0) {}

  /// Holds the message, which sets off for `to` at `at_ns`.
  void hold(TimeNs at_ns, int to, std::span<const std::byte> message, std::span<const std::byte> rest = {}) {
    const std::uint32_t slot = messages_.put();
    messages_[slot].to = to;
    std::vector<std::byte>& bytes = messages_[slot].bytes;
    bytes.assign(message.begin(), message.end());
    bytes.insert(bytes.end(), rest.begin(), rest.end());
    ++held_for_[static_cast<std::size_t>(to)];
    events_.push(at_ns, kind_, slot);
  }
  /// True if some message for that rank is held: another message that must not overtake it must be held as
  /// well.
  bool any(int to) const { return held_for_[static_cast<std::size_t>(to)] > 0; }
  /// Sends a message. Call it when the event with that index is due.
  void release(std::uint32_t slot) {
    const Held& held = messages_[slot];
    out_.send_composed(held.to, held.bytes);
    --held_for_[static_cast<std::size_t>(held.to)];
    messages_.release(slot);
  }

 private:
  struct Held {
    int to = 0;
    std::vector<std::byte> bytes;
  };
  MessageWriter& out_;
  EventQueue& events_;
  std::uint32_t kind_;
  Mailbox<Held> messages_;
  std::vector<int> held_for_;  ///< number of messages held for each rank
};

}  // namespace harness
