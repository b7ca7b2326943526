#include "harness/record/summary_table.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string_view>

#include "harness/record/table.h"

namespace harness {
namespace {

constexpr const char* kSummaryTable = "summary";
/// Texts that older files lack.
constexpr std::string_view kLaterTexts[] = {"answers", "devices"};

/// A column's place in the memory rows: numbers by value, text as a pointer.
struct Slot {
  std::string name;
  std::size_t offset;
  Hdf5Handle type;
};

struct Layout {
  std::vector<Slot> slots;
  std::size_t size = 0;
};

Hdf5Handle type_of(const SummaryRow::ColumnPointer& pointer) {
  if (std::holds_alternative<std::string*>(pointer)) return text_type();
  const hid_t type = std::holds_alternative<double*>(pointer)          ? H5T_NATIVE_DOUBLE
                     : std::holds_alternative<std::uint64_t*>(pointer) ? H5T_NATIVE_UINT64
                                                                       : H5T_NATIVE_UINT32;
  return Hdf5Handle(H5Tcopy(type), H5Tclose, "copy a type");
}

Layout layout() {
  Layout result;
  SummaryRow row;
  row.list([&](const char* name, const char*, SummaryRow::ColumnPointer pointer) {
    result.slots.push_back({name, result.size, type_of(pointer)});
    result.size += 8;
  });
  return result;
}

Hdf5Handle compound(const Layout& layout) {
  Hdf5Handle type(H5Tcreate(H5T_COMPOUND, layout.size), H5Tclose, "make a row type");
  for (const Slot& slot : layout.slots) {
    checked(H5Tinsert(type.get(), slot.name.c_str(), slot.offset, slot.type.get()), "add a column");
  }
  return type;
}

void put(char* place, const SummaryRow::ColumnPointer& pointer) {
  if (const auto* text = std::get_if<std::string*>(&pointer)) {
    const char* characters = (*text)->c_str();
    std::memcpy(place, &characters, sizeof characters);
  } else if (const auto* real = std::get_if<double*>(&pointer)) {
    std::memcpy(place, *real, sizeof(double));
  } else if (const auto* count = std::get_if<std::uint64_t*>(&pointer)) {
    std::memcpy(place, *count, sizeof(std::uint64_t));
  } else {
    std::memcpy(place, std::get<std::uint32_t*>(pointer), sizeof(std::uint32_t));
  }
}

void get(const char* place, const SummaryRow::ColumnPointer& pointer) {
  if (const auto* text = std::get_if<std::string*>(&pointer)) {
    char* characters = nullptr;
    std::memcpy(&characters, place, sizeof characters);
    (*text)->assign(characters == nullptr ? "" : characters);
  } else if (const auto* real = std::get_if<double*>(&pointer)) {
    std::memcpy(*real, place, sizeof(double));
  } else if (const auto* count = std::get_if<std::uint64_t*>(&pointer)) {
    std::memcpy(*count, place, sizeof(std::uint64_t));
  } else {
    std::memcpy(std::get<std::uint32_t*>(pointer), place, sizeof(std::uint32_t));
  }
}

/// Reading leaves the columns that an older file lacks as they are in memory: metrics are made kNoValue,
/// later texts stay null.
void prepare_missing_columns(hid_t dataset, const Layout& layout, std::vector<char>& bytes) {
  const Hdf5Handle type(H5Dget_type(dataset), H5Tclose, "look at the columns");
  for (const Slot& slot : layout.slots) {
    if (H5Tget_member_index(type.get(), slot.name.c_str()) >= 0) continue;
    if (std::count(std::begin(kLaterTexts), std::end(kLaterTexts), slot.name) > 0) continue;
    if (H5Tget_class(slot.type.get()) != H5T_FLOAT) throw Hdf5Failure("find all columns of /summary");
    for (std::size_t at = slot.offset; at < bytes.size(); at += layout.size) {
      std::memcpy(&bytes[at], &kNoValue, sizeof kNoValue);
    }
  }
}

void free_text(const Layout& layout, std::vector<char>& bytes, std::size_t rows) {
  const hsize_t count = rows;
  const Hdf5Handle space(H5Screate_simple(1, &count, nullptr), H5Sclose, "make a dataspace");
  const Hdf5Handle type = compound(layout);
  H5Dvlen_reclaim(type.get(), space.get(), H5P_DEFAULT, bytes.data());
}

}  // namespace

void write_summary_table(hid_t root, std::vector<SummaryRow> rows) {
  const Layout columns = layout();
  std::vector<char> bytes(rows.size() * columns.size);
  char* place = bytes.data();
  for (SummaryRow& row : rows) {
    row.list([&](const char*, const char*, SummaryRow::ColumnPointer pointer) {
      put(place, pointer);
      place += 8;
    });
  }
  TableWriter table(root, kSummaryTable, compound(columns), std::clamp<std::size_t>(rows.size(), 1, 256));
  table.append(bytes.data(), rows.size());
}

std::vector<SummaryRow> read_summary_table(hid_t root) {
  const Layout columns = layout();
  const OpenTable table = open_table(root, kSummaryTable);
  std::vector<char> bytes(table.rows * columns.size);
  prepare_missing_columns(table.dataset.get(), columns, bytes);
  std::vector<SummaryRow> rows(table.rows);
  if (rows.empty()) return rows;
  const Hdf5Handle type = compound(columns);
  checked(H5Dread(table.dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()),
          "read /summary");
  const char* place = bytes.data();
  for (SummaryRow& row : rows) {
    row.list([&](const char*, const char*, SummaryRow::ColumnPointer pointer) {
      get(place, pointer);
      place += 8;
    });
  }
  free_text(columns, bytes, rows.size());
  return rows;
}

}  // namespace harness
