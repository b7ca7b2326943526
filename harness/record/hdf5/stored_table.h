// Datasets of rows, read in whole chunks. Internal to record/.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory_resource>
#include <string>
#include <vector>

#include "harness/record/hdf5/hdf5_handle.h"
#include "harness/record/hdf5/packed_rows.h"

namespace harness {

/// A dataset that is opened for reading. Throws Hdf5Failure if its rows are in other files, are more than the
/// file can hold, or have more text than any table of the harness.
class StoredTable {
 public:
  StoredTable(hid_t group, const std::string& name);
  std::size_t rows() const { return rows_; }
  /// Returns the number of rows to read at once: whole chunks of the file, because each reading unpacks a
  /// chunk.
  std::size_t rows_at_once() const;
  /// Returns the names of the columns in the order of the file.
  std::vector<std::string> column_names() const;
  /// Reads `count` rows from row `first` on into `rows`; texts live as long as this object. Columns are
  /// matched by name: columns that the file lacks keep their values in `rows`.
  void read(hid_t type, void* rows, std::size_t first, std::size_t count);

 private:
  /// Returns the memory in which the library puts a text; nullptr if all texts together are too long.
  static void* take_text(std::size_t bytes, void* table) noexcept;

  Hdf5Handle dataset_;
  std::size_t rows_ = 0;
  std::pmr::monotonic_buffer_resource texts_;
  std::size_t text_bytes_ = 0;
};

bool has_link(hid_t group, const std::string& name);

/// Returns `made(row)` for each row of the dataset `name`; a column that an older file lacks has its default.
template <class Row, class Made>
auto read_table(hid_t group, const std::string& name, Made made) {
  StoredTable table(group, name);
  PackedRows<Row> packed;
  packed.push_back_defaults(std::min(table.rows(), table.rows_at_once()));
  std::vector<decltype(made(packed.row(0)))> rows;
  rows.reserve(table.rows());
  while (rows.size() < table.rows()) {
    const std::size_t count = std::min(packed.size(), table.rows() - rows.size());
    table.read(packed.type(), packed.data(), rows.size(), count);
    for (std::size_t i = 0; i < count; ++i) rows.push_back(made(packed.row(i)));
  }
  return rows;
}

template <class Row>
std::vector<Row> read_table(hid_t group, const std::string& name) {
  return read_table<Row>(group, name, [](Row row) { return row; });
}

}  // namespace harness
