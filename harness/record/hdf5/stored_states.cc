#include "harness/record/hdf5/stored_states.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "harness/core/check.h"
#include "harness/record/hdf5/row_type.h"
#include "harness/record/hdf5/stored_table.h"
#include "harness/record/hdf5/stored_type.h"
#include "harness/record/hdf5/table_writer.h"

namespace harness {
namespace {

constexpr const char* kStatesTable = "states";
constexpr const char* kTime = "at_ns";
constexpr const char* kModule = "module";
constexpr int kFixedColumns = 2;
constexpr std::size_t kValuesOffset = sizeof(TimeNs) + sizeof(std::uint16_t);

std::size_t row_size(std::size_t values) { return kValuesOffset + values * sizeof(double); }

Hdf5Handle row_type_of(const std::vector<std::string>& names) {
  RowType type;
  const StateTable::Row row;
  type(kTime, row.at_ns);
  type(kModule, row.module);
  for (const std::string& name : names) type(name, 0.0);
  return type.take();
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
    std::memcpy(put_value(put_value(place, row.at_ns), row.module), value, values * sizeof(double));
    place += row_size(values);
    value += values;
  }
  const Hdf5Handle type = row_type_of(states.names);
  TableWriter table(group, kStatesTable, type.get(),
                    std::clamp<std::size_t>(states.rows.size(), 1, kChunkRows));
  table.append(bytes.data(), states.rows.size());
}

StateTable read_states(hid_t group) {
  StateTable states;
  if (!has_link(group, kStatesTable)) return states;
  StoredTable table(group, kStatesTable);
  states.names = table.column_names();
  if (states.names.size() < kFixedColumns) throw Hdf5Failure("find the columns of the states");
  states.names.erase(states.names.begin(), states.names.begin() + kFixedColumns);
  const std::size_t values = states.names.size();
  std::vector<char> bytes(table.rows() * row_size(values));
  table.read(row_type_of(states.names).get(), bytes.data(), 0, table.rows());
  states.rows.resize(table.rows());
  states.values.resize(table.rows() * values);
  const char* place = bytes.data();
  for (std::size_t i = 0; i < table.rows(); ++i) {
    place = get_value(get_value(place, states.rows[i].at_ns), states.rows[i].module);
    std::memcpy(&states.values[i * values], place, values * sizeof(double));
    place += values * sizeof(double);
  }
  return states;
}

}  // namespace harness
