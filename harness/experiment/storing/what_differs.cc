#include "harness/experiment/storing/what_differs.h"

#include <vector>

#include "harness/core/param_list.h"
#include "harness/core/wording.h"
#include "harness/experiment/cells/cell_text.h"
#include "harness/record/analysis/settings_differences.h"

namespace harness {
namespace {

/// Returns the text with "loads = [1.2]" in the place of `rates_rps`.
std::string with_load(const CellIdentity& cell) {
  const std::string& text = cell.effective_toml;
  const std::size_t at = text.find("\nrates_rps = [");
  if (at == std::string::npos) return text;
  const std::size_t end = text.find('\n', at + 1);
  return text.substr(0, at) + "\nloads = [" + text_of(cell.load) + "]" + text.substr(end);
}

}  // namespace

bool is_made_by(const std::string& build, const CellIdentity& cell) {
  return input_hash_of(cell.effective_toml, build) == cell.input_hash;
}

std::string what_differs(const CellIdentity& before, const CellIdentity& now, const std::string& build,
                         bool by_load) {
  std::vector<std::string> differences =
      by_load ? settings_differences(with_load(before), with_load(now))
              : settings_differences(before.effective_toml, now.effective_toml);
  const std::string line = first_difference(before.effective_toml, now.effective_toml);
  if (differences.empty() && !line.empty()) differences.push_back(line);
  if (differences.empty() || is_made_by(build, before) != is_made_by(build, now))
    differences.emplace_back("another build of harness");
  return join_names(differences);
}

}  // namespace harness
