// The experiment reader takes any text. What follows a line "--set" is an override from the command line.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "harness/experiment/reading/experiment_spec.h"
#include "tests/fuzz/reading.h"

namespace harness {
namespace {

constexpr std::string_view kSet = "\n--set ";

void read_any(std::string_view text) {
  std::vector<std::string> overrides;
  for (std::size_t at = text.rfind(kSet); at != std::string_view::npos; at = text.rfind(kSet)) {
    overrides.emplace_back(text.substr(at + kSet.size()));
    text = text.substr(0, at);
  }
  ExperimentSpec spec;
  // A message about an override names --set instead of the file.
  const char* place = overrides.empty() ? "fuzz.toml" : "";
  if (!accepts(place, [&] { spec = parse_experiment("fuzz.toml", text, overrides); })) return;
  // The effective text is what results carry: reading it again must give the same experiment.
  if (parse_experiment("fuzz.toml", spec.text, {}).text != spec.text) std::abort();
}

}  // namespace
}  // namespace harness

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  harness::read_any({reinterpret_cast<const char*>(data), size});
  return 0;
}
