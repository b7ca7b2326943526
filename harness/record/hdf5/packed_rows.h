// Rows in memory as in the files. Internal to record/.
//
// The values of the columns come one after the other, texts as pointers. So neither side converts anything.
#pragma once

#include <cstddef>
#include <string>
#include <type_traits>
#include <vector>

#include "harness/record/hdf5/row_type.h"
#include "harness/record/hdf5/stored_type.h"

namespace harness {

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

}  // namespace harness
