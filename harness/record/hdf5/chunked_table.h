// A table whose rows come a few at a time. Internal to record/.
#pragma once

#include <span>
#include <type_traits>
#include <vector>

#include "harness/record/hdf5/packed_rows.h"
#include "harness/record/hdf5/table_writer.h"

namespace harness {

/// Gathers rows into whole chunks, so that none is compressed twice; the dataset is made with the first row.
template <class Row>
class ChunkedTable {
  static_assert(std::is_trivially_copyable_v<Row>, "a row waits here, its texts would not");

 public:
  ChunkedTable(hid_t group, const char* name) : group_(group), name_(name) {}

  template <class Source>
  void append(std::span<const Source> rows) {
    for (const Source& row : rows) {
      if (chunk_.size() == 0) chunk_.reserve(kChunkRows);
      chunk_.push_back(stored(row));
      if (chunk_.size() == kChunkRows) flush();
    }
  }
  /// Writes the last rows.
  void flush() {
    if (chunk_.size() == 0) return;
    // If the first flush has fewer rows than a chunk it has all rows; the chunk gets their number, because a
    // chunk is compressed whole.
    if (table_.empty()) table_.emplace_back(group_, name_, chunk_.type(), chunk_.size());
    table_.front().append(chunk_.data(), chunk_.size());
    chunk_.clear();
  }

 private:
  hid_t group_;
  const char* name_;
  PackedRows<Row> chunk_;
  std::vector<TableWriter> table_;
};

}  // namespace harness
