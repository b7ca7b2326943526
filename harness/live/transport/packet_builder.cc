#include "harness/live/transport/packet_builder.h"

#include <cstring>
#include <utility>

#include "harness/core/check.h"
#include "harness/live/transport/packet_header.h"
#include "harness/live/transport/transport.h"

namespace harness {

void PacketBuilder::add(std::span<const std::byte> message, std::span<const std::byte> rest) {
  const std::size_t bytes = message.size() + rest.size();
  HARNESS_CHECK(bytes <= kLargestMessage, "a message is larger than kLargestMessage");
  if (packet_.empty()) packet_.resize(sizeof(PacketHeader));
  const auto length = static_cast<MessageLength>(bytes);
  const auto* prefix = reinterpret_cast<const std::byte*>(&length);
  packet_.insert(packet_.end(), prefix, prefix + sizeof length);
  packet_.insert(packet_.end(), message.begin(), message.end());
  packet_.insert(packet_.end(), rest.begin(), rest.end());
  ++messages_;
}

std::vector<std::byte> PacketBuilder::finish(std::uint64_t sequence, std::vector<std::byte> recycled) {
  if (packet_.empty()) packet_.resize(sizeof(PacketHeader));
  PacketHeader header;
  header.sequence = sequence;
  header.bytes = packet_.size() - sizeof header;
  header.messages = messages_;
  std::memcpy(packet_.data(), &header, sizeof header);
  recycled.clear();
  messages_ = 0;
  return std::exchange(packet_, std::move(recycled));
}

}  // namespace harness
