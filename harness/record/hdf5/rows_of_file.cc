#include "harness/record/hdf5/rows_of_file.h"

#include <algorithm>

namespace harness {

RowsOfFile::RowsOfFile(hid_t dataset, hsize_t first, hsize_t count)
    : in_file(H5Dget_space(dataset), H5Sclose, "look at a dataset"),
      in_memory(H5Screate_simple(1, &count, nullptr), H5Sclose, "make a dataspace") {
  checked(H5Sselect_hyperslab(in_file.get(), H5S_SELECT_SET, &first, nullptr, &count, nullptr),
          "select rows");
}

Hdf5Handle transfer_properties(std::size_t row, std::size_t rows) {
  constexpr std::size_t kMin = 4096;
  constexpr std::size_t kUsual = std::size_t{1} << 20;
  constexpr std::size_t kGrowth = 4;  // a text takes more room in the file than a pointer in memory
  const std::size_t one = std::max<std::size_t>(kGrowth * row, 1);
  const std::size_t bytes = rows < kUsual / one ? rows * one : kUsual;
  Hdf5Handle transfer(H5Pcreate(H5P_DATASET_XFER), H5Pclose, "make properties");
  checked(H5Pset_buffer(transfer.get(), std::max({kMin, one, bytes}), nullptr, nullptr), "set properties");
  return transfer;
}

}  // namespace harness
