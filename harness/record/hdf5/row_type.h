// The type of a row in the files. Internal to record/.
//
// A row lists its columns itself, with Row::list (run_record.h).
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "harness/record/hdf5/hdf5_handle.h"
#include "harness/record/hdf5/stored_type.h"

namespace harness {

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

}  // namespace harness
