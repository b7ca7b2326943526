// The making of packets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace harness {

/// Collects messages into a packet.
class PacketBuilder {
 public:
  /// Adds a message: its beginning and its `rest`, together at most kLargestMessage bytes (transport.h); more
  /// is a bug.
  void add(std::span<const std::byte> message, std::span<const std::byte> rest = {});
  bool empty() const { return messages_ == 0; }
  std::uint32_t messages() const { return messages_; }
  /// Returns the number of bytes of the packet so far.
  std::size_t size() const { return packet_.size(); }
  /// Returns the packet and begins the next one, which is collected in the memory of `recycled`.
  std::vector<std::byte> finish(std::uint64_t sequence, std::vector<std::byte> recycled);

 private:
  std::vector<std::byte> packet_;
  std::uint32_t messages_ = 0;
};

}  // namespace harness
