#include "harness/record/hdf5/stored_module.h"

namespace harness {

std::vector<StoredModule> stored_modules(const RunRecord& record, const std::vector<std::string>& names) {
  std::vector<StoredModule> rows;
  for (const ModuleTotals& totals : record.modules)
    rows.push_back({static_cast<std::uint16_t>(rows.size()), names.at(rows.size()), totals});
  return rows;
}

}  // namespace harness
