// What a rank sends itself.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include "harness/live/packet.h"
#include "harness/live/transport.h"

namespace harness {

/// Messages from a rank to itself: collected by send(), visible after flush(), handed over by receive().
/// Counts them in the transport's counters.
class Loopback {
 public:
  Loopback(int rank, TransportCounters& counters) : rank_(rank), counters_(counters) {}

  void send(std::span<const std::byte> message) {
    collected_.add(message);
    ++counters_.messages_sent;
    counters_.bytes_sent += message.size();
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

  std::size_t receive(const TakeMessage& take) {
    std::size_t count = 0;
    taken_.swap(arrived_);
    for (std::vector<std::byte>& packet : taken_) {
      for_each_message(packet, [&](std::span<const std::byte> message) {
        ++count;
        counters_.bytes_received += message.size();
        take(rank_, message);
      });
      spare_.push_back(std::move(packet));
    }
    taken_.clear();
    counters_.messages_received += count;
    return count;
  }

 private:
  int rank_;
  TransportCounters& counters_;
  PacketBuilder collected_;
  std::vector<std::vector<std::byte>> arrived_;
  std::vector<std::vector<std::byte>> taken_;
  std::vector<std::vector<std::byte>> spare_;
};

}  // namespace harness
