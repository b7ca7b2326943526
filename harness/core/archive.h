// Values as bytes and back, for messages between ranks and for logs. One function describes a type for both
// ways:
//
//   template <class Way>
//   void code(Archive<Way>& archive, Thing& thing) {
//     archive.value(thing.name);
//     archive.list(thing.parts, [&](Part& part) { archive.value(part.count); });
//   }
//
// Whole numbers take as few bytes as they need. Writing leaves the values as they are.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "harness/core/environment_error.h"

namespace harness {

/// The part that writing and reading share; Way is WritingArchive or ReadingArchive.
template <class Way>
class Archive {
 public:
  /// Codes a whole number by its difference to `usual`: small differences of either sign take one byte.
  template <class Number, class Usual = int>
  void number(Number& value, Usual usual = 0) {
    const auto base = static_cast<std::uint64_t>(usual);
    const std::uint64_t ahead = static_cast<std::uint64_t>(value) - base;
    std::uint64_t word = (ahead << 1) ^ (0 - (ahead >> 63));
    way().word(word);
    const std::uint64_t coded = ((word >> 1) ^ (0 - (word & 1))) + base;
    value = static_cast<Number>(coded);
    if (static_cast<std::uint64_t>(value) != coded) way().fail();
  }
  /// Codes a double to the bit. Few digits take few bytes.
  void real(double& value) {
    std::uint64_t word = swapped(std::bit_cast<std::uint64_t>(value));
    way().word(word);
    value = std::bit_cast<double>(swapped(word));
  }
  /// Codes a number, a flag, an enumerator or a text.
  template <class Value>
  void value(Value& value) {
    if constexpr (std::is_same_v<Value, bool>) {
      std::uint8_t flag = value ? 1 : 0;
      way().byte(flag);
      value = flag != 0;
    } else if constexpr (std::is_same_v<Value, std::string>) {
      list(value, [this](char& letter) {
        auto byte = static_cast<std::uint8_t>(letter);
        way().byte(byte);
        letter = static_cast<char>(byte);
      });
    } else if constexpr (std::is_floating_point_v<Value>) {
      real(value);
    } else {
      number(value);
    }
  }
  /// Codes a vector: its size, and then `each` codes its entries one after the other. Every entry must take
  /// at least one byte.
  template <class List, class Each>
  void list(List& entries, Each each) {
    way().size(entries);
    for (auto& entry : entries) each(entry);
  }
  template <class Value>
  void list(std::vector<Value>& values) {
    list(values, [this](Value& entry) { value(entry); });
  }
  void bytes(std::vector<std::byte>& values) { way().raw(values); }

 private:
  Way& way() { return static_cast<Way&>(*this); }
  /// Reverses the bytes of a word. Doubles of few digits end in zeros, and leading zeros of a word take no
  /// bytes.
  static std::uint64_t swapped(std::uint64_t word) {
    std::uint64_t result = 0;
    for (int shift = 0; shift < 64; shift += 8) result = (result << 8) | ((word >> shift) & 0xff);
    return result;
  }
};

class WritingArchive : public Archive<WritingArchive> {
 public:
  static constexpr bool kReads = false;
  /// Appends to `bytes`, which outlives the archive.
  explicit WritingArchive(std::vector<std::byte>& bytes) : bytes_(bytes) {}

  void byte(std::uint8_t& value) { bytes_.push_back(std::byte{value}); }
  /// Writes seven bits a byte; the eighth says that more follow.
  void word(std::uint64_t& value) {
    std::uint64_t rest = value;
    for (; rest > 0x7f; rest >>= 7) bytes_.push_back(static_cast<std::byte>((rest & 0x7f) | 0x80));
    bytes_.push_back(static_cast<std::byte>(rest));
  }
  template <class List>
  void size(List& list) {
    std::uint64_t count = list.size();
    word(count);
  }
  void raw(std::vector<std::byte>& values) {
    size(values);
    bytes_.insert(bytes_.end(), values.begin(), values.end());
  }

  void fail() {}

 private:
  std::vector<std::byte>& bytes_;
};

/// Reads values from bytes. Once the bytes are used up it reads zeros, and failed() is true. failed() is also
/// true if a number is too large for its type.
class ReadingArchive : public Archive<ReadingArchive> {
 public:
  static constexpr bool kReads = true;
  explicit ReadingArchive(std::span<const std::byte> bytes) : bytes_(bytes) {}

  void byte(std::uint8_t& value) {
    if (at_ == bytes_.size()) failed_ = true;
    value = failed_ ? std::uint8_t{0} : static_cast<std::uint8_t>(bytes_[at_++]);
  }
  void word(std::uint64_t& value) {
    value = 0;
    std::uint8_t part = 0;
    int shift = 0;
    do {
      byte(part);
      if (shift >= 64) failed_ = true;
      if (!failed_) value |= static_cast<std::uint64_t>(part & 0x7f) << shift;
      shift += 7;
    } while (part > 0x7f && !failed_);
  }
  template <class List>
  void size(List& list) {
    std::uint64_t count = 0;
    word(count);
    if (count > bytes_.size() - at_) failed_ = true;
    list.resize(failed_ ? 0 : static_cast<std::size_t>(count));
  }
  void raw(std::vector<std::byte>& values) {
    size(values);
    std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(at_), values.size(), values.begin());
    at_ += values.size();
  }

  bool failed() const { return failed_; }
  void fail() { failed_ = true; }
  /// Returns the number of bytes that have been read.
  std::size_t at() const { return at_; }

 private:
  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  bool failed_ = false;
};

/// Returns the bytes of a value that has code().
template <class Value>
std::vector<std::byte> packed(Value value) {
  std::vector<std::byte> bytes;
  WritingArchive archive(bytes);
  code(archive, value);
  return bytes;
}

/// Returns the value of these bytes, which another rank has packed. Throws EnvironmentError if they are not a
/// value.
template <class Value>
Value unpacked(std::span<const std::byte> bytes) {
  ReadingArchive archive(bytes);
  Value value;
  code(archive, value);
  if (archive.failed() || archive.at() != bytes.size())
    throw EnvironmentError("a message between ranks is cut, or of another version of the program");
  return value;
}

}  // namespace harness
