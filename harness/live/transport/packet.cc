#include "harness/live/transport/packet.h"

#include <cstring>
#include <utility>

#include "harness/core/error.h"
#include "harness/live/transport/transport.h"

namespace harness {
namespace {

using Length = std::uint32_t;
static_assert(kLargestMessage <= 0xffffffff);

Length length_at(const std::byte* place) {
  Length length = 0;
  std::memcpy(&length, place, sizeof length);
  return length;
}

}  // namespace

void PacketBuilder::add(std::span<const std::byte> message, std::span<const std::byte> rest) {
  const std::size_t bytes = message.size() + rest.size();
  HARNESS_CHECK(bytes <= kLargestMessage, "a message is larger than kLargestMessage");
  if (packet_.empty()) packet_.resize(sizeof(PacketHeader));
  const auto length = static_cast<Length>(bytes);
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

std::string text_of(PacketFault fault) {
  switch (fault) {
    case PacketFault::kNoFault:
      return "is whole";
    case PacketFault::kTruncated:
      return "is cut short";
    case PacketFault::kMagic:
      return "does not begin as a packet does";
    case PacketFault::kVersion:
      return "has another version: the ranks run different builds";
    case PacketFault::kLengths:
      return "has lengths that do not fit together";
  }
  return "";
}

PacketFault check_packet(std::span<const std::byte> packet, PacketHeader& header) {
  if (packet.size() < sizeof header) return PacketFault::kTruncated;
  std::memcpy(&header, packet.data(), sizeof header);
  if (header.magic != kPacketMagic) return PacketFault::kMagic;
  if (header.version != kPacketVersion) return PacketFault::kVersion;
  std::span<const std::byte> rest = packet.subspan(sizeof header);
  if (rest.size() < header.bytes) return PacketFault::kTruncated;
  if (rest.size() > header.bytes) return PacketFault::kLengths;
  for (std::uint32_t i = 0; i < header.messages; ++i) {
    if (rest.size() < sizeof(Length)) return PacketFault::kLengths;
    const std::size_t length = length_at(rest.data());
    rest = rest.subspan(sizeof(Length));
    if (rest.size() < length || length > kLargestMessage) return PacketFault::kLengths;
    rest = rest.subspan(length);
  }
  return rest.empty() ? PacketFault::kNoFault : PacketFault::kLengths;
}

void for_each_message(std::span<const std::byte> packet,
                      const std::function<void(std::span<const std::byte> message)>& take) {
  for (auto rest = packet.subspan(sizeof(PacketHeader)); !rest.empty();) {
    const std::size_t length = length_at(rest.data());
    take(rest.subspan(sizeof(Length), length));
    rest = rest.subspan(sizeof(Length) + length);
  }
}

bool SequenceCheck::accept(std::uint64_t sequence) {
  if (sequence < next_) {
    ++repeated_;
    return false;
  }
  lost_ += sequence - next_;
  next_ = sequence + 1;
  return true;
}

}  // namespace harness
