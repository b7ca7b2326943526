// Values one after the other in the bytes of a message, for contents that are not fixed structs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "harness/core/error.h"

namespace harness {

/// Writes values; ranks are of one build and one kind of machine.
class ByteWriter {
 public:
  template <class Value>
  ByteWriter& put(const Value& value) {
    static_assert(std::is_trivially_copyable_v<Value>);
    return append(&value, sizeof value);
  }
  template <class Value>
  ByteWriter& put_all(std::span<const Value> values) {
    static_assert(std::is_trivially_copyable_v<Value>);
    put(std::uint64_t{values.size()});
    return append(values.data(), values.size_bytes());
  }
  ByteWriter& put_text(std::string_view text) { return put_all(std::span(text.data(), text.size())); }

  const std::vector<std::byte>& bytes() const { return bytes_; }

 private:
  ByteWriter& append(const void* first, std::size_t size) {
    if (size == 0) return *this;
    const std::size_t before = bytes_.size();
    bytes_.resize(before + size);
    std::memcpy(bytes_.data() + before, first, size);
    return *this;
  }

  std::vector<std::byte> bytes_;
};

/// Reads what a ByteWriter wrote, in the same order. Throws EnvironmentError where the bytes end too soon.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class Value>
  Value get() {
    static_assert(std::is_trivially_copyable_v<Value>);
    Value value{};
    std::memcpy(&value, take(sizeof value), sizeof value);
    return value;
  }
  template <class Value>
  std::vector<Value> get_all() {
    const auto count = get<std::uint64_t>();
    if (count > bytes_.size() / sizeof(Value)) cut();
    std::vector<Value> values(count);
    if (count > 0) std::memcpy(values.data(), take(count * sizeof(Value)), count * sizeof(Value));
    return values;
  }
  std::string get_text() {
    const std::vector<char> characters = get_all<char>();
    return {characters.begin(), characters.end()};
  }

 private:
  [[noreturn]] static void cut() {
    throw EnvironmentError("a message between ranks is cut, or of another version of the program");
  }
  const std::byte* take(std::size_t size) {
    if (size > bytes_.size()) cut();
    const std::byte* first = bytes_.data();
    bytes_ = bytes_.subspan(size);
    return first;
  }

  std::span<const std::byte> bytes_;
};

}  // namespace harness
