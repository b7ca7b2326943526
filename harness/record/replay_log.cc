#include "harness/record/replay_log.h"

#include <cstring>

namespace harness {
namespace {

constexpr std::uint64_t kVersion = 1;
constexpr std::size_t kWord = sizeof(std::uint64_t);
constexpr std::size_t kHeadWords = 5;  // of a log: domain, module, callbacks, decisions, bytes

void put(std::vector<std::byte>& bytes, std::uint64_t word) {
  const std::size_t at = bytes.size();
  bytes.resize(at + kWord);
  std::memcpy(&bytes[at], &word, kWord);
}

std::uint64_t take(std::span<const std::byte>& bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes.data(), kWord);
  bytes = bytes.subspan(kWord);
  return word;
}

}  // namespace

std::vector<std::byte> serialised(std::span<const ReplayLog> logs) {
  std::vector<std::byte> bytes;
  put(bytes, kVersion);
  put(bytes, logs.size());
  for (const ReplayLog& log : logs) {
    for (const std::uint64_t word :
         {std::uint64_t{log.domain}, std::uint64_t{log.group}, log.callbacks, log.decisions}) {
      put(bytes, word);
    }
    put(bytes, log.bytes.size());
    bytes.insert(bytes.end(), log.bytes.begin(), log.bytes.end());
  }
  return bytes;
}

std::optional<std::vector<ReplayLog>> deserialised(std::span<const std::byte> bytes) {
  if (bytes.size() < 2 * kWord || take(bytes) != kVersion) return std::nullopt;
  std::vector<ReplayLog> logs;
  for (std::uint64_t left = take(bytes); left > 0; --left) {
    if (bytes.size() < kHeadWords * kWord) return std::nullopt;
    ReplayLog log;
    log.domain = static_cast<DomainId>(take(bytes));
    log.group = static_cast<std::uint16_t>(take(bytes));
    log.callbacks = take(bytes);
    log.decisions = take(bytes);
    const std::uint64_t size = take(bytes);
    if (bytes.size() < size) return std::nullopt;
    log.bytes.assign(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    bytes = bytes.subspan(static_cast<std::size_t>(size));
    logs.push_back(std::move(log));
  }
  if (!bytes.empty()) return std::nullopt;
  return logs;
}

}  // namespace harness
