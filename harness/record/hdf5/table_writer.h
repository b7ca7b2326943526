// One-dimensional compressed datasets of rows, written in chunks. Internal to record/.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "harness/record/hdf5/hdf5_handle.h"
#include "harness/record/hdf5/packed_rows.h"

namespace harness {

/// Number of rows in a chunk, the unit of compression and of memory while writing.
inline constexpr std::size_t kChunkRows = 16384;

/// A growing dataset. `type` is the type of a row both in memory (packed) and in the file, and must outlive
/// the writer.
class TableWriter {
 public:
  /// Makes the dataset `name` in `group`. Chunks hold at most `chunk_rows` rows.
  TableWriter(hid_t group, const char* name, hid_t type, std::size_t chunk_rows);
  void append(const void* rows, std::size_t count);

 private:
  hid_t type_;
  Hdf5Handle dataset_;
  hsize_t size_ = 0;
};

/// Tables of at most this many bytes are stored without compression: a chunk of their own would be larger.
inline constexpr std::size_t kSmallTableBytes = 2048;
/// Writes a table of at most kSmallTableBytes.
void write_small_table(hid_t group, const char* name, hid_t type, const void* rows, std::size_t count);

/// Writes a finished list of rows as the dataset `name`.
template <class Row>
void write_table(hid_t group, const char* name, const std::vector<Row>& rows,
                 std::size_t chunk_rows = kChunkRows) {
  PackedRows<Row> packed;
  packed.reserve(rows.size());
  for (const Row& row : rows) packed.push_back(row);
  if (packed.bytes() <= kSmallTableBytes) {
    write_small_table(group, name, packed.type(), packed.data(), rows.size());
    return;
  }
  TableWriter table(group, name, packed.type(), std::clamp<std::size_t>(rows.size(), 1, chunk_rows));
  table.append(packed.data(), rows.size());
}

}  // namespace harness
