// Messages of a runtime that wait for the event of their arrival.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

namespace harness {

/// Messages that travel. They are in reused slots, so that their buffers are reused too.
template <class Message>
class Mailbox {
 public:
  std::uint32_t put() {
    if (free_.empty()) {
      slots_.emplace_back();
      return static_cast<std::uint32_t>(slots_.size() - 1);
    }
    const std::uint32_t slot = free_.back();
    free_.pop_back();
    return slot;
  }
  Message& operator[](std::uint32_t slot) { return slots_[slot]; }
  void release(std::uint32_t slot) { free_.push_back(slot); }

 private:
  std::deque<Message> slots_;  // references stay valid while a message is being handled
  std::vector<std::uint32_t> free_;
};

}  // namespace harness
