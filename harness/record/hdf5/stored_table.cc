#include "harness/record/hdf5/stored_table.h"

#include <algorithm>
#include <cstdint>
#include <new>

#include "harness/record/hdf5/rows_of_file.h"
#include "harness/record/hdf5/table_writer.h"

namespace harness {
namespace {

// Number of bytes that deflate packs into one at most.
constexpr std::uint64_t kMaxPacking = 1032;
// Memory that all texts of one table may take.
constexpr std::size_t kMaxTextBytes = std::size_t{256} << 20;

/// Throws Hdf5Failure if the table's rows lie in other files, or are more than this file can hold.
void check_storage(hid_t dataset, std::size_t rows) {
  const Hdf5Handle creation(H5Dget_create_plist(dataset), H5Pclose, "look at a dataset");
  if (H5Pget_layout(creation.get()) == H5D_VIRTUAL || H5Pget_external_count(creation.get()) != 0)
    throw Hdf5Failure("find rows in this file: they are in another");
  const Hdf5Handle type(H5Dget_type(dataset), H5Tclose, "look at the columns");
  const Hdf5Handle file(H5Iget_file_id(dataset), H5Fclose, "look at a dataset");
  hsize_t file_bytes = 0;
  checked(H5Fget_filesize(file.get(), &file_bytes), "look at the file's size");
  const std::uint64_t stored = std::min<std::uint64_t>(H5Dget_storage_size(dataset), file_bytes);
  if (rows > 0 && rows > stored * kMaxPacking / std::max<std::size_t>(H5Tget_size(type.get()), 1))
    throw Hdf5Failure("find as many rows as a table claims");
}

}  // namespace

bool has_link(hid_t group, const std::string& name) {
  return H5Lexists(group, name.c_str(), H5P_DEFAULT) > 0;
}

StoredTable::StoredTable(hid_t group, const std::string& name)
    : dataset_(H5Dopen2(group, name.c_str(), H5P_DEFAULT), H5Dclose, "open a dataset") {
  const Hdf5Handle space(H5Dget_space(dataset_.get()), H5Sclose, "look at a dataset");
  if (H5Sget_simple_extent_ndims(space.get()) != 1) throw Hdf5Failure("find rows in a dataset");
  rows_ = static_cast<std::size_t>(checked(H5Sget_simple_extent_npoints(space.get()), "count rows"));
  check_storage(dataset_.get(), rows_);
}

std::vector<std::string> StoredTable::column_names() const {
  const Hdf5Handle type(H5Dget_type(dataset_.get()), H5Tclose, "look at the columns");
  const int columns = checked(H5Tget_nmembers(type.get()), "count the columns");
  std::vector<std::string> names;
  for (int i = 0; i < columns; ++i) {
    char* name = H5Tget_member_name(type.get(), static_cast<unsigned>(i));
    if (name == nullptr) throw_failure("read the name of a column");
    names.emplace_back(name);
    H5free_memory(name);
  }
  return names;
}

void* StoredTable::take_text(std::size_t bytes, void* table) noexcept {
  StoredTable& own = *static_cast<StoredTable*>(table);
  if (bytes > kMaxTextBytes - own.text_bytes_) return nullptr;
  own.text_bytes_ += bytes;
  try {
    return own.texts_.allocate(bytes, 1);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

std::size_t StoredTable::rows_at_once() const {
  constexpr std::size_t kRows = 4 * kChunkRows;
  const Hdf5Handle creation(H5Dget_create_plist(dataset_.get()), H5Pclose, "look at a dataset");
  hsize_t chunk = 1;
  if (H5Pget_layout(creation.get()) == H5D_CHUNKED)
    checked(H5Pget_chunk(creation.get(), 1, &chunk), "look at the chunks");
  chunk = std::max<hsize_t>(chunk, 1);
  return chunk > kRows ? static_cast<std::size_t>(chunk) : kRows / chunk * chunk;
}

void StoredTable::read(hid_t type, void* rows, std::size_t first, std::size_t count) {
  if (count == 0) return;
  const Hdf5Handle stored(H5Dget_type(dataset_.get()), H5Tclose, "look at the columns");
  const Hdf5Handle transfer =
      transfer_properties(std::max(H5Tget_size(type), H5Tget_size(stored.get())), count);
  const auto keep = [](void*, void*) {};
  checked(H5Pset_vlen_mem_manager(transfer.get(), take_text, this, keep, nullptr), "bound texts");
  const RowsOfFile place(dataset_.get(), first, count);
  checked(H5Dread(dataset_.get(), type, place.in_memory.get(), place.in_file.get(), transfer.get(), rows),
          "read rows");
}

}  // namespace harness
