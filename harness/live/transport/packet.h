// Packets. A packet holds what one rank sends another in one turn of its loop: a header, then each message
// after its length. Fields are in the machine's byte order (x86-64 on every rank).
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

/// A check of the packets from one source by their numbers. A number that was passed before is a repetition,
/// to be discarded; numbers that are left out are lost packets. (An overtaken packet counts as lost and then
/// as repeated: neither MPI nor the tests' transport lets packets of a pair overtake each other.)
class SequenceCheck {
 public:
  /// Returns true if the packet is to be handed over.
  bool accept(std::uint64_t sequence);
  std::uint64_t lost() const { return lost_; }
  std::uint64_t repeated() const { return repeated_; }

 private:
  std::uint64_t next_ = 0;
  std::uint64_t lost_ = 0;
  std::uint64_t repeated_ = 0;
};

}  // namespace harness
