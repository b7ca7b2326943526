#include "harness/record/hdf5/row_type.h"

#include <utility>

namespace harness {

void RowType::add(const std::string& name, Hdf5Handle type, std::size_t bytes) {
  columns_.push_back({name, std::move(type), bytes_});
  bytes_ += bytes;
}

Hdf5Handle RowType::take() {
  Hdf5Handle row(H5Tcreate(H5T_COMPOUND, bytes_), H5Tclose, "make a row type");
  for (const Column& column : columns_)
    checked(H5Tinsert(row.get(), column.name.c_str(), column.offset, column.type.get()), "add a column");
  return row;
}

}  // namespace harness
