#include "harness/live/rank_part.h"

#include <cstring>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

#include "harness/core/error.h"

namespace harness {
namespace {

class Writer {
 public:
  template <class Value>
  void put(const Value& value) {
    static_assert(std::is_trivially_copyable_v<Value>);
    const auto* first = reinterpret_cast<const std::byte*>(&value);
    bytes.insert(bytes.end(), first, first + sizeof value);
  }
  template <class Value>
  void put_all(const std::vector<Value>& values) {
    static_assert(std::is_trivially_copyable_v<Value>);
    put(std::uint64_t{values.size()});
    const auto* first = reinterpret_cast<const std::byte*>(values.data());
    bytes.insert(bytes.end(), first, first + values.size() * sizeof(Value));
  }
  void put_all(const std::string& text) { put_all(std::vector<char>(text.begin(), text.end())); }
  void put_all(const LatencyHistogram& histogram) { put_all(histogram.counts()); }

  std::vector<std::byte> bytes;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}
  template <class Value>
  void get(Value& value) {
    std::memcpy(&value, take(sizeof value), sizeof value);
  }
  template <class Value>
  void get_all(std::vector<Value>& values) {
    std::uint64_t count = 0;
    get(count);
    if (count > bytes_.size() / sizeof(Value)) throw EnvironmentError("a rank's part of the books is cut");
    values.resize(count);
    if (count > 0) std::memcpy(values.data(), take(count * sizeof(Value)), count * sizeof(Value));
  }
  void get_all(std::string& text) {
    std::vector<char> characters;
    get_all(characters);
    text.assign(characters.begin(), characters.end());
  }
  void get_all(LatencyHistogram& histogram) {
    std::vector<std::uint64_t> counts;
    get_all(counts);
    for (std::size_t bucket = 0; bucket < counts.size(); ++bucket) {
      if (counts[bucket] > 0) histogram.add(LatencyHistogram::upper_edge(bucket), counts[bucket]);
    }
  }

 private:
  const std::byte* take(std::size_t count) {
    if (count > bytes_.size()) throw EnvironmentError("a rank's part of the books is cut");
    const std::byte* first = bytes_.data();
    bytes_ = bytes_.subspan(count);
    return first;
  }
  std::span<const std::byte> bytes_;
};

/// Calls `each(value)` for the numbers of `totals`.
template <class Totals, class Each>
void each_number(Totals& totals, const Each& each) {
  each(totals.rank);
  each(totals.workers);
  each(totals.messages_sent);
  each(totals.messages_received);
  each(totals.bytes_sent);
  each(totals.bytes_received);
  each(totals.packets_sent);
  each(totals.loop_turns);
  each(totals.sleeps);
  each(totals.cpu_ns);
  each(totals.clock_offset_ns);
  each(totals.clock_bound_ns);
  each(totals.delivery_p50_ns);
  each(totals.delivery_p99_ns);
}

/// Calls `each(value)` for what the queue domains' books hold of a module.
template <class Totals, class Each>
void each_sum(Totals& totals, const Each& each) {
  each(totals.arrived);
  each(totals.batches);
  each(totals.queueing_ns);
  each(totals.wait_ns);
}

}  // namespace

std::vector<std::byte> pack(const RankPart& part) {
  Writer out;
  each_number(part.totals, [&](const auto& value) { out.put(value); });
  out.put_all(part.totals.host);
  out.put(part.books.exchanged_bytes);
  out.put(part.books.fingerprint);
  out.put(std::uint64_t{part.books.modules.size()});
  for (const ModuleTotals& module : part.books.modules) {
    each_sum(module, [&](const auto& value) { out.put(value); });
    out.put_all(module.queueing_delay);
    out.put_all(module.batch_wait);
  }
  out.put_all(part.books.module_windows);
  out.put_all(serialised(part.books.replay));
  return out.bytes;
}

RankPart unpack_part(std::span<const std::byte> bytes) {
  Reader in(bytes);
  RankPart part;
  each_number(part.totals, [&](auto& value) { in.get(value); });
  in.get_all(part.totals.host);
  in.get(part.books.exchanged_bytes);
  in.get(part.books.fingerprint);
  std::uint64_t modules = 0;
  in.get(modules);
  for (std::uint64_t m = 0; m < modules; ++m) {
    ModuleTotals& module = part.books.modules.emplace_back();
    each_sum(module, [&](auto& value) { in.get(value); });
    in.get_all(module.queueing_delay);
    in.get_all(module.batch_wait);
  }
  in.get_all(part.books.module_windows);
  std::vector<std::byte> replay;
  in.get_all(replay);
  std::optional<std::vector<ReplayLog>> logs = deserialised(replay);
  if (!logs) throw EnvironmentError("a rank's replay logs are cut");
  part.books.replay = std::move(*logs);
  return part;
}

}  // namespace harness
