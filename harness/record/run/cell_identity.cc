#include "harness/record/run/cell_identity.h"

#include <cstddef>
#include <sstream>

namespace harness {

std::vector<std::pair<std::string, std::string>> parameters_of(const CellIdentity& cell) {
  std::vector<std::pair<std::string, std::string>> pairs;
  std::istringstream words(cell.parameters);
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) {
      if (!pairs.empty()) pairs.back().second += " " + word;
      continue;
    }
    const std::string key = word.substr(0, equals);
    std::erase_if(pairs, [&](const auto& earlier) { return earlier.first == key; });
    pairs.emplace_back(key, word.substr(equals + 1));
  }
  return pairs;
}

}  // namespace harness
