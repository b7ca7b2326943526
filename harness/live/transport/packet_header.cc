#include "harness/live/transport/packet_header.h"

#include <cstring>

#include "harness/live/transport/transport.h"

namespace harness {
namespace {

static_assert(kLargestMessage <= 0xffffffff);

MessageLength length_at(const std::byte* place) {
  MessageLength length = 0;
  std::memcpy(&length, place, sizeof length);
  return length;
}

}  // namespace

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
    if (rest.size() < sizeof(MessageLength)) return PacketFault::kLengths;
    const std::size_t length = length_at(rest.data());
    rest = rest.subspan(sizeof(MessageLength));
    if (rest.size() < length || length > kLargestMessage) return PacketFault::kLengths;
    rest = rest.subspan(length);
  }
  return rest.empty() ? PacketFault::kNoFault : PacketFault::kLengths;
}

void for_each_message(std::span<const std::byte> packet,
                      const std::function<void(std::span<const std::byte> message)>& take) {
  for (auto rest = packet.subspan(sizeof(PacketHeader)); !rest.empty();) {
    const std::size_t length = length_at(rest.data());
    take(rest.subspan(sizeof(MessageLength), length));
    rest = rest.subspan(sizeof(MessageLength) + length);
  }
}

}  // namespace harness
