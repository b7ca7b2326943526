#include "harness/record/state_columns.h"

#include <algorithm>
#include <cstring>

#include "harness/core/error.h"
#include "harness/record/table.h"

namespace harness {
namespace {

constexpr const char* kStatesTable = "states";
constexpr const char* kTime = "at_ns";
constexpr const char* kModule = "module";
constexpr int kFixedColumns = 2;
// A row in memory: time, module, padding, then the values.
constexpr std::size_t kModuleOffset = sizeof(TimeNs);
constexpr std::size_t kValuesOffset = 2 * sizeof(TimeNs);

std::size_t row_size(std::size_t values) { return kValuesOffset + values * sizeof(double); }

Hdf5Handle row_type_of(const std::vector<std::string>& names) {
  Hdf5Handle type(H5Tcreate(H5T_COMPOUND, row_size(names.size())), H5Tclose, "make a row type");
  checked(H5Tinsert(type.get(), kTime, 0, H5T_NATIVE_INT64), "add a column");
  checked(H5Tinsert(type.get(), kModule, kModuleOffset, H5T_NATIVE_UINT16), "add a column");
  std::size_t offset = kValuesOffset;
  for (const std::string& name : names) {
    checked(H5Tinsert(type.get(), name.c_str(), offset, H5T_NATIVE_DOUBLE), "add a column");
    offset += sizeof(double);
  }
  return type;
}

std::vector<std::string> names_in(hid_t dataset) {
  const Hdf5Handle type(H5Dget_type(dataset), H5Tclose, "look at the columns");
  const int columns = checked(H5Tget_nmembers(type.get()), "count the columns");
  std::vector<std::string> names;
  for (int i = kFixedColumns; i < columns; ++i) {
    char* name = H5Tget_member_name(type.get(), static_cast<unsigned>(i));
    if (name == nullptr) throw Hdf5Failure("read the name of a column");
    names.emplace_back(name);
    H5free_memory(name);
  }
  return names;
}

}  // namespace

void write_states(hid_t group, const StateTable& states) {
  if (states.names.empty()) return;
  const std::size_t values = states.names.size();
  HARNESS_CHECK(states.values.size() == states.rows.size() * values, "a published state lacks values");
  std::vector<char> bytes(states.rows.size() * row_size(values));
  char* place = bytes.data();
  const double* value = states.values.data();
  for (const StateTable::Row& row : states.rows) {
    std::memcpy(place, &row.at_ns, sizeof row.at_ns);
    std::memcpy(place + kModuleOffset, &row.module, sizeof row.module);
    std::memcpy(place + kValuesOffset, value, values * sizeof(double));
    place += row_size(values);
    value += values;
  }
  TableWriter table(group, kStatesTable, row_type_of(states.names),
                    std::clamp<std::size_t>(states.rows.size(), 1, kChunkRows));
  table.append(bytes.data(), states.rows.size());
}

StateTable read_states(hid_t group) {
  StateTable states;
  if (!has_link(group, kStatesTable)) return states;
  const OpenTable table = open_table(group, kStatesTable);
  states.names = names_in(table.dataset.get());
  const std::size_t values = states.names.size();
  std::vector<char> bytes(table.rows * row_size(values));
  const Hdf5Handle type = row_type_of(states.names);
  checked(H5Dread(table.dataset.get(), type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes.data()), "read rows");
  states.rows.resize(table.rows);
  states.values.resize(table.rows * values);
  for (std::size_t i = 0; i < table.rows; ++i) {
    const char* place = &bytes[i * row_size(values)];
    std::memcpy(&states.rows[i].at_ns, place, sizeof(TimeNs));
    std::memcpy(&states.rows[i].module, place + kModuleOffset, sizeof(std::uint16_t));
    std::memcpy(&states.values[i * values], place + kValuesOffset, values * sizeof(double));
  }
  return states;
}

}  // namespace harness
