#include "harness/live/transport/packet_header.h"

#include <gtest/gtest.h>

#include <cstring>

#include "harness/core/random_stream.h"
#include "harness/live/transport/packet_builder.h"

namespace harness {
namespace {

using Bytes = std::vector<std::byte>;

Bytes random_bytes(RandomStream& random, std::size_t size) {
  Bytes bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(random.below(256));
  return bytes;
}

std::vector<Bytes> messages_of(const Bytes& packet) {
  std::vector<Bytes> messages;
  for_each_message(packet, [&](std::span<const std::byte> message) {
    messages.emplace_back(message.begin(), message.end());
  });
  return messages;
}

PacketFault fault_of(const Bytes& packet) {
  PacketHeader header;
  return check_packet(packet, header);
}

Bytes packet_of(const std::vector<Bytes>& messages, std::uint64_t sequence = 0) {
  PacketBuilder builder;
  for (const Bytes& message : messages) builder.add(message);
  return builder.finish(sequence, {});
}

TEST(Packet, ComesApartAsItWasPutTogether) {
  RandomStream random(1, "packet_test");
  PacketBuilder builder;
  Bytes recycled;
  for (std::uint64_t round = 0; round < 50; ++round) {
    std::vector<Bytes> messages;
    const std::uint64_t count = random.below(20);
    for (std::uint64_t i = 0; i < count; ++i) messages.push_back(random_bytes(random, random.below(300)));
    messages.push_back(random_bytes(random, round == 7 ? 1'000'000 : 0));
    for (const Bytes& message : messages) builder.add(message);
    EXPECT_EQ(builder.messages(), messages.size());
    const Bytes packet = builder.finish(round, std::move(recycled));
    EXPECT_TRUE(builder.empty());
    PacketHeader header;
    ASSERT_EQ(check_packet(packet, header), PacketFault::kNoFault);
    EXPECT_EQ(header.sequence, round);
    EXPECT_EQ(header.messages, messages.size());
    EXPECT_EQ(messages_of(packet), messages);
    recycled = packet;
  }
}

TEST(Packet, WithoutMessagesIsWhole) {
  const Bytes packet = packet_of({}, 9);
  EXPECT_EQ(packet.size(), sizeof(PacketHeader));
  EXPECT_EQ(fault_of(packet), PacketFault::kNoFault);
  EXPECT_TRUE(messages_of(packet).empty());
}

TEST(Packet, CutAnywhereIsFound) {
  const Bytes packet = packet_of({Bytes(5), Bytes(0), Bytes(40)});
  for (std::size_t size = 0; size < packet.size(); ++size) {
    EXPECT_EQ(fault_of(Bytes(packet.begin(), packet.begin() + static_cast<std::ptrdiff_t>(size))),
              PacketFault::kTruncated);
  }
  Bytes longer = packet;
  longer.push_back(std::byte{0});
  EXPECT_EQ(fault_of(longer), PacketFault::kLengths);
}

TEST(Packet, OfAnotherKindOrVersionIsRefused) {
  Bytes packet = packet_of({Bytes(5)});
  packet[offsetof(PacketHeader, version)] ^= std::byte{1};
  EXPECT_EQ(fault_of(packet), PacketFault::kVersion);
  packet = packet_of({Bytes(5)});
  packet[0] ^= std::byte{1};
  EXPECT_EQ(fault_of(packet), PacketFault::kMagic);
}

TEST(Packet, LengthsThatDoNotFitAreRefused) {
  const Bytes good = packet_of({Bytes(5), Bytes(7)});
  for (const std::uint32_t length : {0u, 4u, 6u, 16u, 17u, 0xffffffffu}) {
    Bytes packet = good;
    std::memcpy(packet.data() + sizeof(PacketHeader), &length, sizeof length);
    EXPECT_EQ(fault_of(packet), PacketFault::kLengths) << length;
  }
  for (const std::uint32_t messages : {0u, 1u, 3u, 0xffffffffu}) {
    Bytes packet = good;
    std::memcpy(packet.data() + offsetof(PacketHeader, messages), &messages, sizeof messages);
    EXPECT_EQ(fault_of(packet), PacketFault::kLengths) << messages;
  }
}

TEST(Packet, DamagedAtRandomIsRefusedOrSafeToRead) {
  RandomStream random(2, "packet_test");
  for (int round = 0; round < 20'000; ++round) {
    Bytes packet = packet_of({random_bytes(random, 9), random_bytes(random, 3), random_bytes(random, 0)});
    for (int i = 0; i < 3; ++i)
      packet[random.below(packet.size())] = static_cast<std::byte>(random.below(256));
    if (fault_of(packet) != PacketFault::kNoFault) continue;
    std::size_t bytes = sizeof(PacketHeader);
    for (const Bytes& message : messages_of(packet)) bytes += sizeof(std::uint32_t) + message.size();
    EXPECT_EQ(bytes, packet.size());
  }
}

}  // namespace
}  // namespace harness
