// one_cell lv SYSTEM WORKERS REQUESTS | chain SYSTEM MODULES REQUESTS | group STREAMS REQUESTS: simulates one
// cell once and prints the number of requests, the seconds that they took, and the length of the run in
// virtual time. It is for the scripts of bench/.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <span>
#include <string_view>

#include "bench/simulated_cells.h"
#include "harness/sim/simulation.h"
#include "systems/all_systems.h"

namespace harness {
namespace {

constexpr double kLvRps = 1811;  // requests/s of 64 workers at load 1.0

RunSpec cell_of(std::span<char*> words) {
  const std::string_view kind = words[0];
  if (kind == "lv")
    return make_lv_cell(words[1], static_cast<int>(std::atof(words[2])), std::atof(words[3]) / kLvRps);
  if (kind == "chain")
    return make_chain_cell(words[1], static_cast<int>(std::atof(words[2])), std::atof(words[3]));
  return make_group_cell(static_cast<std::size_t>(std::atof(words[1])), 0.7, std::atof(words[2]));
}

}  // namespace
}  // namespace harness

int main(int argc, char** argv) {
  const std::span<char*> words(argv + 1, static_cast<std::size_t>(argc - 1));
  const std::string_view kind = words.empty() ? "" : words[0];
  const auto is_size = [](const char* word) { return std::atof(word) >= 1; };
  const bool is_group =
      kind == "group" && words.size() == 3 && std::all_of(words.begin() + 1, words.end(), is_size);
  const bool has_system = (kind == "lv" || kind == "chain") && words.size() == 4 &&
                          harness::find_system(words[1]) != nullptr &&
                          std::all_of(words.begin() + 2, words.end(), is_size);
  if (!is_group && !has_system) {
    std::fputs(
        "one_cell: allowed: lv SYSTEM WORKERS REQUESTS | chain SYSTEM MODULES REQUESTS | group STREAMS "
        "REQUESTS\n",
        stderr);
    return 2;
  }
  try {
    const harness::RunSpec spec = harness::cell_of(words);
    const auto began = std::chrono::steady_clock::now();
    const harness::RunRecord record = harness::simulate(spec, nullptr);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    std::printf("%llu %.6f %.3f\n", static_cast<unsigned long long>(record.sent), took.count(),
                static_cast<double>(record.end_ns) * 1e-9);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "one_cell: %s\n", error.what());
    return 2;
  }
}
