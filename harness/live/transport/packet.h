// Packets: what one rank sends another in one turn of its loop. A header, then each message after its length.
// Fields stand in the machine's byte order (x86-64 on every rank).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace harness {

inline constexpr std::uint32_t kPacketMagic = 0x4b503448;  // "H4PK"
inline constexpr std::uint16_t kPacketVersion = 1;

/// How a packet begins. A change of any field, or of what follows, is another version.
struct PacketHeader {
  std::uint32_t magic = kPacketMagic;
  std::uint16_t version = kPacketVersion;
  std::uint16_t reserved = 0;
  std::uint64_t sequence = 0;  ///< number of the packet among those from its sender to its receiver, from 0
  std::uint64_t bytes = 0;     ///< after the header
  std::uint32_t messages = 0;
  std::uint32_t reserved_too = 0;
};
static_assert(sizeof(PacketHeader) == 32);

/// Collects messages into a packet.
class PacketBuilder {
 public:
  /// A message and what follows in it, at most kLargestMessage bytes (transport.h); more is a bug.
  void add(std::span<const std::byte> message, std::span<const std::byte> rest = {});
  bool empty() const { return messages_ == 0; }
  std::uint32_t messages() const { return messages_; }
  /// Bytes of the packet so far.
  std::size_t size() const { return packet_.size(); }
  /// The packet, which leaves; the next one is collected in the memory of `recycled`.
  std::vector<std::byte> finish(std::uint64_t sequence, std::vector<std::byte> recycled);

 private:
  std::vector<std::byte> packet_;
  std::uint32_t messages_ = 0;
};

/// What is wrong with a packet.
enum class PacketFault : std::uint8_t {
  kNoFault,
  kTruncated,  ///< shorter than its header says, or than a header
  kMagic,      ///< not a packet
  kVersion,    ///< of another build
  kLengths     ///< longer than its header says, or its messages do not fill it
};
/// "is cut short" and the like, to come after what names the packet.
std::string text_of(PacketFault fault);

/// Checks the whole packet and copies its header, as far as there is one. Without fault, for_each_message()
/// is safe.
PacketFault check_packet(std::span<const std::byte> packet, PacketHeader& header);

/// The messages of a packet without fault, in the order in which they were added.
void for_each_message(std::span<const std::byte> packet,
                      const std::function<void(std::span<const std::byte> message)>& take);

/// Follows the numbers of the packets from one source. A number passed before is a repetition, to be
/// discarded; numbers left out are packets lost. (A packet that was overtaken counts as lost, then as
/// repeated: neither MPI nor the tests' transport lets packets of a pair overtake each other.)
class SequenceCheck {
 public:
  /// Whether the packet is to be handed over.
  bool accept(std::uint64_t sequence);
  std::uint64_t lost() const { return lost_; }
  std::uint64_t repeated() const { return repeated_; }

 private:
  std::uint64_t next_ = 0;
  std::uint64_t lost_ = 0;
  std::uint64_t repeated_ = 0;
};

}  // namespace harness
