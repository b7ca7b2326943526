#include "harness/record/replay_tables.h"

#include <algorithm>
#include <cstddef>

#include "harness/record/table.h"

namespace harness {
namespace {

constexpr const char* kDomains = "replay";
constexpr const char* kBytes = "replay_log";
constexpr std::size_t kChunkBytes = 1 << 18;

struct StoredDomain {
  std::uint32_t domain = 0;
  std::uint16_t module = 0;
  std::uint64_t callbacks = 0;
  std::uint64_t decisions = 0;
  std::uint64_t bytes = 0;
};

Hdf5Handle domain_type() {
  Hdf5Handle type(H5Tcreate(H5T_COMPOUND, sizeof(StoredDomain)), H5Tclose, "make a row type");
  const auto column = [&type](const char* name, std::size_t offset, hid_t kind) {
    checked(H5Tinsert(type.get(), name, offset, kind), "add a column");
  };
  column("domain", offsetof(StoredDomain, domain), H5T_NATIVE_UINT32);
  column("module", offsetof(StoredDomain, module), H5T_NATIVE_UINT16);
  column("callbacks", offsetof(StoredDomain, callbacks), H5T_NATIVE_UINT64);
  column("decisions", offsetof(StoredDomain, decisions), H5T_NATIVE_UINT64);
  column("bytes", offsetof(StoredDomain, bytes), H5T_NATIVE_UINT64);
  return type;
}

Hdf5Handle byte_type() {
  Hdf5Handle type(H5Tcreate(H5T_COMPOUND, 1), H5Tclose, "make a row type");
  checked(H5Tinsert(type.get(), "byte", 0, H5T_NATIVE_UINT8), "add a column");
  return type;
}

void read_rows(const OpenTable& table, const Hdf5Handle& type, void* rows) {
  checked(H5Dread(table.dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, rows), "read rows");
}

}  // namespace

void write_replay(hid_t group, const std::vector<ReplayLog>& logs) {
  if (logs.empty()) return;
  std::vector<StoredDomain> rows;
  std::size_t total = 0;
  for (const ReplayLog& log : logs) {
    rows.push_back({log.domain, log.group, log.callbacks, log.decisions, log.bytes.size()});
    total += log.bytes.size();
  }
  TableWriter(group, kDomains, domain_type(), std::min(rows.size(), kChunkRows))
      .append(rows.data(), rows.size());
  TableWriter bytes(group, kBytes, byte_type(), std::clamp<std::size_t>(total, 1, kChunkBytes));
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
  if (!has_link(group, kDomains)) return logs;
  const OpenTable domains = open_table(group, kDomains);
  std::vector<StoredDomain> rows(domains.rows);
  read_rows(domains, domain_type(), rows.data());
  const OpenTable table = open_table(group, kBytes);
  std::vector<std::byte> bytes(table.rows);
  read_rows(table, byte_type(), bytes.data());
  std::size_t at = 0;
  for (const StoredDomain& row : rows) {
    if (row.bytes > bytes.size() - at) throw Hdf5Failure("read the log of a queue domain");
    const auto from = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    ReplayLog log{row.domain, row.module, row.callbacks, row.decisions, {}};
    log.bytes.assign(from, from + static_cast<std::ptrdiff_t>(row.bytes));
    logs.push_back(std::move(log));
    at += static_cast<std::size_t>(row.bytes);
  }
  return logs;
}

}  // namespace harness
