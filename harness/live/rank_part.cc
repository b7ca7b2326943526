#include "harness/live/rank_part.h"

#include <optional>
#include <type_traits>
#include <utility>

#include "harness/core/error.h"
#include "harness/live/byte_stream.h"

namespace harness {
namespace {

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
  each(totals.due_late_p99_ns);
  each(totals.due_late_max_ns);
  each(totals.tensor_handle_bytes);
  each(totals.tensor_message_bytes);
  each(totals.tensor_device_bytes);
  each(totals.tensor_waits);
  each(totals.tensor_wait_p99_ns);
  each(totals.tensor_wait_max_ns);
  each(totals.tensors_left);
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
  ByteWriter out;
  each_number(part.totals, [&](const auto& value) { out.put(value); });
  out.put_text(part.totals.host).put_text(part.totals.devices).put_text(part.totals.driver);
  out.put(std::uint64_t{part.notes.size()});
  for (const std::string& note : part.notes) out.put_text(note);
  out.put(part.books.exchanged_bytes).put(part.books.fingerprint);
  out.put(std::uint64_t{part.books.modules.size()});
  for (const ModuleTotals& module : part.books.modules) {
    each_sum(module, [&](const auto& value) { out.put(value); });
    out.put_all(std::span(module.queueing_delay.counts()));
    out.put_all(std::span(module.batch_wait.counts()));
  }
  out.put_all(std::span(part.books.module_windows));
  const std::vector<std::byte> replay = serialised(part.books.replay);
  out.put_all(std::span(replay));
  return out.bytes();
}

RankPart unpack_part(std::span<const std::byte> bytes) {
  ByteReader in(bytes);
  RankPart part;
  const auto get = [&in](auto& value) { value = in.get<std::remove_reference_t<decltype(value)>>(); };
  each_number(part.totals, get);
  for (std::string* text : {&part.totals.host, &part.totals.devices, &part.totals.driver})
    *text = in.get_text();
  for (auto notes = in.get<std::uint64_t>(); notes > 0; --notes) part.notes.push_back(in.get_text());
  get(part.books.exchanged_bytes);
  get(part.books.fingerprint);
  for (auto modules = in.get<std::uint64_t>(); modules > 0; --modules) {
    ModuleTotals& module = part.books.modules.emplace_back();
    each_sum(module, get);
    module.queueing_delay.add_all(in.get_all<std::uint64_t>());
    module.batch_wait.add_all(in.get_all<std::uint64_t>());
  }
  part.books.module_windows = in.get_all<ModuleWindow>();
  std::optional<std::vector<ReplayLog>> logs = deserialised(in.get_all<std::byte>());
  if (!logs) throw EnvironmentError("a rank's replay logs are cut");
  part.books.replay = std::move(*logs);
  return part;
}

}  // namespace harness
