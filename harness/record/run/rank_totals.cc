#include "harness/record/run/rank_totals.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace harness {
namespace {

constexpr const char* kBetween = ", ";

/// Returns "NVIDIA H200" for "cuda:1 NVIDIA H200 (worker 3)", and "cpu" for "cpu1".
std::string kind_of(const std::string& full_name) {
  const std::string name = full_name.substr(0, full_name.find(" (worker "));
  const std::size_t space = name.find(' ');
  if (space != std::string::npos) return name.substr(space + 1);
  return name.substr(0, name.find_last_not_of("0123456789") + 1);
}

using Counts = std::vector<std::pair<std::string, int>>;

void count(Counts& counts, const std::string& what) {
  const auto is_it = [&what](const auto& each) { return each.first == what; };
  const auto found = std::find_if(counts.begin(), counts.end(), is_it);
  if (found == counts.end())
    counts.emplace_back(what, 1);
  else
    ++found->second;
}

}  // namespace

std::string devices_text(std::span<const RankTotals> ranks) {
  Counts kinds;
  Counts drivers;
  for (const RankTotals& rank : ranks) {
    for (std::size_t begin = 0; begin < rank.devices.size();) {
      const std::size_t end = std::min(rank.devices.find(kBetween, begin), rank.devices.size());
      count(kinds, kind_of(rank.devices.substr(begin, end - begin)));
      begin = end + 2;
    }
    if (!rank.driver.empty()) count(drivers, rank.driver);
  }
  std::string text;
  for (const auto& [kind, number] : kinds)
    text += (text.empty() ? "" : kBetween) + std::to_string(number) + " x " + kind;
  for (const auto& [driver, number] : drivers) text += kBetween + ("driver " + driver);
  return text;
}

}  // namespace harness
