// One-dimensional compressed datasets of rows: appended in chunks, read whole. Internal to record/.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "harness/record/hdf5_handle.h"
#include "harness/record/stored_rows.h"

namespace harness {

/// Rows in a chunk, the unit of compression and of memory while writing.
inline constexpr std::size_t kChunkRows = 16384;

/// A growing dataset; `memory_type` describes a row in memory, the file holds it packed.
class TableWriter {
 public:
  /// Makes the dataset `name` in `group`. Chunks hold at most `chunk_rows` rows.
  TableWriter(hid_t group, const char* name, Hdf5Handle memory_type, std::size_t chunk_rows);
  void append(const void* rows, std::size_t count);

 private:
  Hdf5Handle type_;
  Hdf5Handle dataset_;
  hsize_t size_ = 0;
};

/// Writes a finished list of rows as the dataset `name`.
template <class Row>
void write_table(hid_t group, const char* name, const std::vector<Row>& rows) {
  TableWriter table(group, name, row_type<Row>(), std::clamp<std::size_t>(rows.size(), 1, kChunkRows));
  table.append(rows.data(), rows.size());
}

/// Gathers rows into whole chunks, so that none is compressed twice; the dataset is made with the first row.
template <class Row>
class ChunkedTable {
 public:
  ChunkedTable(hid_t group, const char* name) : group_(group), name_(name) {}

  template <class Source>
  void append(std::span<const Source> rows) {
    for (const Source& row : rows) {
      if (chunk_.capacity() == 0) chunk_.reserve(kChunkRows);
      chunk_.push_back(stored(row));
      if (chunk_.size() == kChunkRows) flush();
    }
  }
  void flush() {
    if (chunk_.empty()) return;
    if (table_.empty()) table_.emplace_back(group_, name_, row_type<Row>(), kChunkRows);
    table_.front().append(chunk_.data(), chunk_.size());
    chunk_.clear();
  }

 private:
  hid_t group_;
  const char* name_;
  std::vector<Row> chunk_;
  std::vector<TableWriter> table_;
};

/// A dataset opened for reading.
struct OpenTable {
  Hdf5Handle dataset;
  std::size_t rows = 0;
};
bool has_link(hid_t group, const std::string& name);
OpenTable open_table(hid_t group, const std::string& name);

/// All rows of the dataset `name`, columns matched by name. The text of a row stays allocated by HDF5.
template <class Row>
std::vector<Row> read_table(hid_t group, const std::string& name) {
  const OpenTable table = open_table(group, name);
  std::vector<Row> rows(table.rows);
  const Hdf5Handle type = row_type<Row>();
  checked(H5Dread(table.dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, rows.data()), "read rows");
  return rows;
}

}  // namespace harness
