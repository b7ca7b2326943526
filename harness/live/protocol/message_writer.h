// The composing and sending of messages between ranks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

#include "harness/live/protocol/message.h"
#include "harness/live/transport/transport.h"

namespace harness {

/// Composes the messages of one run and sends them. It reuses one buffer.
class MessageWriter {
 public:
  MessageWriter(Transport& transport, std::uint32_t run) : transport_(transport), run_(run) {}

  template <class Fixed = NoContents, class Entry = std::byte>
  void send(int to, MessageKind kind, const Fixed& fixed = {}, std::span<const Entry> entries = {}) {
    transport_.send(to, compose(kind, fixed), std::as_bytes(entries));
  }
  /// Sends bytes of compose(), and then the rest of the message.
  void send_composed(int to, std::span<const std::byte> message, std::span<const std::byte> rest = {}) {
    transport_.send(to, message, rest);
  }

  /// Returns the bytes of a message, valid until the next call.
  template <class Fixed = NoContents, class Entry = std::byte>
  std::span<const std::byte> compose(MessageKind kind, const Fixed& fixed = {},
                                     std::span<const Entry> entries = {}) {
    static_assert(std::is_trivially_copyable_v<Fixed> && std::is_trivially_copyable_v<Entry>);
    const Message::Header header{kind, kMessageVersion, run_};
    const std::size_t fixed_bytes = std::is_empty_v<Fixed> ? 0 : sizeof(Fixed);
    buffer_.resize(sizeof header + fixed_bytes + entries.size_bytes());
    std::memcpy(buffer_.data(), &header, sizeof header);
    std::memcpy(buffer_.data() + sizeof header, &fixed, fixed_bytes);
    if (!entries.empty())
      std::memcpy(buffer_.data() + sizeof header + fixed_bytes, entries.data(), entries.size_bytes());
    return buffer_;
  }

  std::uint32_t run() const { return run_; }

 private:
  Transport& transport_;
  std::uint32_t run_;
  std::vector<std::byte> buffer_;
};

}  // namespace harness
