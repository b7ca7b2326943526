// The totals of a module as the files hold them (results/README.md describes every column). Internal to
// record/.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/record/run/module_totals.h"
#include "harness/record/run/run_record.h"

namespace harness {

/// The totals with the index and the name of their module.
struct StoredModule {
  std::uint16_t module = 0;
  std::string name;
  ModuleTotals totals;

  static void list(auto& row, auto&& column) {
    column("module", row.module);
    column("name", row.name);
    ModuleTotals::list(row.totals, column);
  }
};

std::vector<StoredModule> stored_modules(const RunRecord& record, const std::vector<std::string>& names);

}  // namespace harness
