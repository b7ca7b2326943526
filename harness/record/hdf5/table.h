// One-dimensional compressed datasets of rows: appended and read in chunks. Internal to record/.
//
// A row lists its columns itself, with Row::list (run_record.h). Rows are packed in memory as in the file:
// the values of the columns one after the other, texts as pointers. So neither side converts anything.
#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <memory_resource>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "harness/record/hdf5/hdf5_handle.h"
#include "harness/record/run/run_record.h"

namespace harness {

/// Number of rows in a chunk, the unit of compression and of memory while writing.
inline constexpr std::size_t kChunkRows = 16384;

/// Returns the type that a value of this C++ type has in the file. The pointer only selects the overload.
Hdf5Handle stored_type(const bool*);
Hdf5Handle stored_type(const std::uint8_t*);
Hdf5Handle stored_type(const std::uint16_t*);
Hdf5Handle stored_type(const std::uint32_t*);
Hdf5Handle stored_type(const std::uint64_t*);
Hdf5Handle stored_type(const TimeNs*);
Hdf5Handle stored_type(const double*);
Hdf5Handle stored_type(const std::string*);
Hdf5Handle stored_type(const Outcome*);
Hdf5Handle stored_type(const VisitOutcome*);
Hdf5Handle stored_type(const DropReason*);
/// Returns an enumeration type with these names for the values from 0 on.
Hdf5Handle enumeration(const std::vector<std::string>& names);

template <class Value>
inline constexpr std::size_t kStoredBytes = std::is_same_v<Value, std::string> ? sizeof(char*)
                                                                               : sizeof(Value);

/// Puts the value at the place where HDF5 reads it, and returns the place of the next one. A text is put as a
/// pointer; the row still owns it.
template <class Value>
char* put_value(char* at, const Value& value) {
  if constexpr (std::is_same_v<Value, std::string>) {
    const char* text = value.c_str();
    std::memcpy(at, &text, sizeof text);
  } else {
    std::memcpy(at, &value, sizeof value);
  }
  return at + kStoredBytes<Value>;
}

/// Gets a value from its place, and returns the place of the next one. A text that an older file lacks is "".
template <class Value>
const char* get_value(const char* at, Value& value) {
  if constexpr (std::is_same_v<Value, std::string>) {
    const char* text = nullptr;
    std::memcpy(&text, at, sizeof text);
    value = text == nullptr ? "" : text;
  } else if constexpr (std::is_same_v<Value, bool>) {
    value = *at != 0;
  } else {
    std::memcpy(&value, at, sizeof value);
  }
  return at + kStoredBytes<Value>;
}

/// The type of a row whose columns are added one after the other.
class RowType {
 public:
  template <class Value>
  void operator()(const std::string& name, const Value& value) {
    add(name, stored_type(&value), kStoredBytes<Value>);
  }
  /// Returns the finished type. No column may be added afterwards.
  Hdf5Handle take();

 private:
  void add(const std::string& name, Hdf5Handle type, std::size_t bytes);

  struct Column {
    std::string name;
    Hdf5Handle type;
    std::size_t offset;
  };
  std::vector<Column> columns_;
  std::size_t bytes_ = 0;
};

/// Returns the type of a row. It is made once for all files with these columns, since HDF5 takes longer to
/// make a type than to write some rows.
template <class Row>
hid_t row_type() {
  static const Hdf5Handle kType = [] {
    RowType type;
    const Row row{};
    Row::list(row, type);
    return type.take();
  }();
  return kType.get();
}

/// Rows in the packed form in which HDF5 takes and returns them.
template <class Row>
class PackedRows {
 public:
  PackedRows() : type_(row_type<Row>()), bytes_a_row_(H5Tget_size(type_)) {}

  hid_t type() const { return type_; }
  std::size_t bytes() const { return bytes_.size(); }
  std::size_t size() const { return bytes_.size() / bytes_a_row_; }
  char* data() { return bytes_.data(); }
  void reserve(std::size_t rows) { bytes_.reserve(rows * bytes_a_row_); }
  void clear() { bytes_.clear(); }

  /// Adds a row, which must outlive its use here if it has texts.
  void push_back(const Row& row) {
    bytes_.resize(bytes_.size() + bytes_a_row_);
    char* at = &bytes_[bytes_.size() - bytes_a_row_];
    Row::list(row, [&at](const auto&, const auto& value) { at = put_value(at, value); });
  }
  /// Adds rows with the default values, without texts.
  void push_back_defaults(std::size_t rows) {
    const Row defaults{};
    std::vector<char> one(bytes_a_row_, 0);
    char* at = one.data();
    Row::list(defaults, [&at]<class Value>(const auto&, const Value& value) {
      if constexpr (std::is_same_v<Value, std::string>)
        at += kStoredBytes<Value>;
      else
        at = put_value(at, value);
    });
    reserve(size() + rows);
    for (std::size_t i = 0; i < rows; ++i) bytes_.insert(bytes_.end(), one.begin(), one.end());
  }
  Row row(std::size_t index) const {
    Row row;
    const char* at = &bytes_[index * bytes_a_row_];
    Row::list(row, [&at](const auto&, auto& value) { at = get_value(at, value); });
    return row;
  }

 private:
  hid_t type_;
  std::size_t bytes_a_row_;
  std::vector<char> bytes_;
};

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

bool has_link(hid_t group, const std::string& name);

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
