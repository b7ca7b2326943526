#include "harness/record/hdf5/stored_replay.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "harness/record/hdf5/row_type.h"
#include "harness/record/hdf5/stored_table.h"
#include "harness/record/hdf5/table_writer.h"

namespace harness {
namespace {

constexpr const char* kQueues = "replay";
constexpr const char* kBytes = "replay_log";
constexpr std::size_t kChunkBytes = 1 << 18;

struct StoredQueue {
  std::uint32_t queue = 0;
  std::uint16_t module = 0;
  std::uint64_t callbacks = 0;
  std::uint64_t decisions = 0;
  std::uint64_t bytes = 0;

  static void list(auto& row, auto&& column) {
    column("queue", row.queue);
    column("module", row.module);
    column("callbacks", row.callbacks);
    column("decisions", row.decisions);
    column("bytes", row.bytes);
  }
};

Hdf5Handle byte_type() {
  RowType type;
  type("byte", std::uint8_t{0});
  return type.take();
}

}  // namespace

void write_replay(hid_t group, const std::vector<ReplayLog>& logs) {
  if (logs.empty()) return;
  std::vector<StoredQueue> rows;
  std::size_t total = 0;
  for (const ReplayLog& log : logs) {
    rows.push_back({log.queue, log.group, log.callbacks, log.decisions, log.bytes.size()});
    total += log.bytes.size();
  }
  write_table(group, kQueues, rows);
  const Hdf5Handle type = byte_type();
  TableWriter bytes(group, kBytes, type.get(), std::clamp<std::size_t>(total, 1, kChunkBytes));
  // Whole chunks, so that none is compressed twice.
  std::vector<std::byte> chunk;
  for (const ReplayLog& log : logs) {
    for (std::size_t at = 0; at < log.bytes.size();) {
      const std::size_t more = std::min(log.bytes.size() - at, kChunkBytes - chunk.size());
      const auto from = log.bytes.begin() + static_cast<std::ptrdiff_t>(at);
      chunk.insert(chunk.end(), from, from + static_cast<std::ptrdiff_t>(more));
      at += more;
      if (chunk.size() < kChunkBytes) continue;
      bytes.append(chunk.data(), chunk.size());
      chunk.clear();
    }
  }
  bytes.append(chunk.data(), chunk.size());
}

std::vector<ReplayLog> read_replay(hid_t group) {
  std::vector<ReplayLog> logs;
  if (!has_link(group, kQueues)) return logs;
  const std::vector<StoredQueue> rows = read_table<StoredQueue>(group, kQueues);
  StoredTable table(group, kBytes);
  std::vector<std::byte> bytes(table.rows());
  table.read(byte_type().get(), bytes.data(), 0, table.rows());
  std::size_t at = 0;
  for (const StoredQueue& row : rows) {
    if (row.bytes > bytes.size() - at) throw Hdf5Failure("read the log of a queue");
    const auto from = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    ReplayLog log{row.queue, row.module, row.callbacks, row.decisions, {}};
    log.bytes.assign(from, from + static_cast<std::ptrdiff_t>(row.bytes));
    logs.push_back(std::move(log));
    at += static_cast<std::size_t>(row.bytes);
  }
  return logs;
}

}  // namespace harness
