#include "harness/record/hdf5/table.h"

#include <algorithm>
#include <new>

namespace harness {
namespace {

// Level 1 is several times faster than the default and, after shuffling, within a few percent of its size.
constexpr unsigned kDeflateLevel = 1;

Hdf5Handle creation_properties(std::size_t chunk_rows) {
  Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "make properties");
  const hsize_t chunk = chunk_rows;
  checked(H5Pset_chunk(creation.get(), 1, &chunk), "set the chunk's size");
  checked(H5Pset_shuffle(creation.get()), "set the shuffle filter");
  checked(H5Pset_deflate(creation.get(), kDeflateLevel), "set the compression");
  checked(H5Pset_fletcher32(creation.get()), "set the chunks' checksums");
  checked(H5Pset_obj_track_times(creation.get(), false), "set properties");
  return creation;
}

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

Hdf5Handle copy_of(hid_t type) { return Hdf5Handle(H5Tcopy(type), H5Tclose, "copy a type"); }

/// Returns the properties of a transfer of `rows` rows of `row` bytes each (in memory or in the file,
/// whichever is larger). They bound the library's buffers for conversions: it clears these at every transfer,
/// by default 1 MiB each, which is far more than most tables need.
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

/// The dataspaces of a transfer of `count` rows from row `first` on.
struct RowsOfFile {
  RowsOfFile(hid_t dataset, hsize_t first, hsize_t count)
      : in_file(H5Dget_space(dataset), H5Sclose, "look at a dataset"),
        in_memory(H5Screate_simple(1, &count, nullptr), H5Sclose, "make a dataspace") {
    checked(H5Sselect_hyperslab(in_file.get(), H5S_SELECT_SET, &first, nullptr, &count, nullptr),
            "select rows");
  }

  Hdf5Handle in_file;
  Hdf5Handle in_memory;
};

}  // namespace

Hdf5Handle enumeration(const std::vector<std::string>& names) {
  Hdf5Handle type(H5Tenum_create(H5T_NATIVE_UINT8), H5Tclose, "make an enumeration");
  std::uint8_t value = 0;
  for (const std::string& name : names) {
    checked(H5Tenum_insert(type.get(), name.c_str(), &value), "name a value");
    ++value;
  }
  return type;
}

Hdf5Handle stored_type(const bool*) { return copy_of(H5T_NATIVE_UINT8); }
Hdf5Handle stored_type(const std::uint8_t*) { return copy_of(H5T_NATIVE_UINT8); }
Hdf5Handle stored_type(const std::uint16_t*) { return copy_of(H5T_NATIVE_UINT16); }
Hdf5Handle stored_type(const std::uint32_t*) { return copy_of(H5T_NATIVE_UINT32); }
Hdf5Handle stored_type(const std::uint64_t*) { return copy_of(H5T_NATIVE_UINT64); }
Hdf5Handle stored_type(const TimeNs*) { return copy_of(H5T_NATIVE_INT64); }
Hdf5Handle stored_type(const double*) { return copy_of(H5T_NATIVE_DOUBLE); }
Hdf5Handle stored_type(const std::string*) { return text_type(); }
Hdf5Handle stored_type(const Outcome*) { return enumeration({kOutcomeNames.begin(), kOutcomeNames.end()}); }
Hdf5Handle stored_type(const VisitOutcome*) {
  return enumeration({kVisitOutcomeNames.begin(), kVisitOutcomeNames.end()});
}
Hdf5Handle stored_type(const DropReason*) {
  std::vector<std::string> names;
  for (int i = 0; i < kDropReasons; ++i) {
    const auto reason = static_cast<DropReason>(i);
    // HDF5 converts enumerations by name: a renamed value would make older files unreadable.
    names.emplace_back(reason == DropReason::kSchedulerQueueFull ? "inbox_full" : name_of(reason));
  }
  return enumeration(names);
}

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

void write_small_table(hid_t group, const char* name, hid_t type, const void* rows, std::size_t count) {
  const hsize_t size = count;
  const Hdf5Handle space(H5Screate_simple(1, &size, nullptr), H5Sclose, "make a dataspace");
  const Hdf5Handle creation(H5Pcreate(H5P_DATASET_CREATE), H5Pclose, "make properties");
  checked(H5Pset_layout(creation.get(), H5D_COMPACT), "set the layout");
  checked(H5Pset_obj_track_times(creation.get(), false), "set properties");
  const Hdf5Handle dataset(
      H5Dcreate2(group, name, type, space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT), H5Dclose,
      "make a dataset");
  if (count == 0) return;
  const Hdf5Handle transfer = transfer_properties(H5Tget_size(type), count);
  checked(H5Dwrite(dataset.get(), type, H5S_ALL, H5S_ALL, transfer.get(), rows), "write rows");
}

TableWriter::TableWriter(hid_t group, const char* name, hid_t type, std::size_t chunk_rows) : type_(type) {
  const hsize_t none = 0;
  const hsize_t unlimited = H5S_UNLIMITED;
  const Hdf5Handle space(H5Screate_simple(1, &none, &unlimited), H5Sclose, "make a dataspace");
  const Hdf5Handle creation = creation_properties(chunk_rows);
  dataset_ = Hdf5Handle(H5Dcreate2(group, name, type_, space.get(), H5P_DEFAULT, creation.get(), H5P_DEFAULT),
                        H5Dclose, "make a dataset");
}

void TableWriter::append(const void* rows, std::size_t count) {
  if (count == 0) return;
  size_ += count;
  checked(H5Dset_extent(dataset_.get(), &size_), "grow a dataset");
  const RowsOfFile place(dataset_.get(), size_ - count, count);
  const Hdf5Handle transfer = transfer_properties(H5Tget_size(type_), count);
  checked(H5Dwrite(dataset_.get(), type_, place.in_memory.get(), place.in_file.get(), transfer.get(), rows),
          "write rows");
}

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
