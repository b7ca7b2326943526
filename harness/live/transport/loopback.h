// The messages that a rank sends itself.
#pragma once

#include <cstddef>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include "harness/live/transport/packet_builder.h"
#include "harness/live/transport/packet_header.h"
#include "harness/live/transport/transport.h"

namespace harness {

/// The messages from a rank to itself: collected by send(), visible after flush(), handed over by receive().
/// They are counted in the transport's counters.
class Loopback {
 public:
  Loopback(int rank, TransportCounters& counters) : rank_(rank), counters_(counters) {}

  void send(std::span<const std::byte> message, std::span<const std::byte> rest) {
    collected_.add(message, rest);
    ++counters_.messages_sent;
    counters_.bytes_sent += message.size() + rest.size();
  }

  void flush() {
    if (collected_.empty()) return;
    std::vector<std::byte> memory;
    if (!spare_.empty()) {
      memory = std::move(spare_.back());
      spare_.pop_back();
    }
    arrived_.push_back(collected_.finish(0, std::move(memory)));
  }

  bool arrived() const { return !arrived_.empty(); }

  /// Hands over the messages that have arrived, and returns their number. Each packet is removed before its
  /// messages are handed over, since `take` may throw; the packets after it come at the next call.
  std::size_t receive(const TakeMessage& take) {
    std::size_t count = 0;
    for (std::size_t packets = arrived_.size(); packets > 0; --packets) {
      std::vector<std::byte> packet = std::move(arrived_.front());
      arrived_.pop_front();
      for_each_message(packet, [&](std::span<const std::byte> message) {
        ++count;
        ++counters_.messages_received;
        counters_.bytes_received += message.size();
        take(rank_, message);
      });
      spare_.push_back(std::move(packet));
    }
    return count;
  }

 private:
  int rank_;
  TransportCounters& counters_;
  PacketBuilder collected_;
  std::deque<std::vector<std::byte>> arrived_;
  std::vector<std::vector<std::byte>> spare_;
};

}  // namespace harness
