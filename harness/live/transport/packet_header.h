// Packets. A packet holds what one rank sends another in one turn of its loop: a header, then each message
// after its length. Fields are in the machine's byte order (x86-64 on every rank).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace harness {

inline constexpr std::uint32_t kPacketMagic = 0x4b503448;  // "H4PK"
inline constexpr std::uint16_t kPacketVersion = 1;

/// The beginning of a packet. A change of any field, or of what follows, makes another version.
struct PacketHeader {
  std::uint32_t magic = kPacketMagic;
  std::uint16_t version = kPacketVersion;
  std::uint16_t reserved = 0;
  std::uint64_t sequence = 0;  ///< number of the packet among all from its sender to its receiver, from 0
  std::uint64_t bytes = 0;     ///< number of bytes after the header
  std::uint32_t messages = 0;
  std::uint32_t reserved_too = 0;
};
static_assert(sizeof(PacketHeader) == 32);

/// The length of a message, before its bytes.
using MessageLength = std::uint32_t;

/// The faults of a packet.
enum class PacketFault : std::uint8_t {
  kNoFault,
  kTruncated,  ///< shorter than its header says, or than a header
  kMagic,      ///< not a packet
  kVersion,    ///< the sender is another build
  kLengths     ///< longer than its header says, or its messages do not fill it
};
/// Returns "is cut short" and the like, to be put behind words that name the packet.
std::string text_of(PacketFault fault);

/// Checks the whole packet and copies as much of its header as there is. If it returns kNoFault,
/// for_each_message() is safe.
PacketFault check_packet(std::span<const std::byte> packet, PacketHeader& header);

/// Calls `take` for each message of a packet without fault, in the order in which they were added.
void for_each_message(std::span<const std::byte> packet,
                      const std::function<void(std::span<const std::byte> message)>& take);

}  // namespace harness
