// The readers of pipelines and profiles take any text: the first byte picks the reader, the rest is the file.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "tests/fuzz/reading.h"
#include "workloads/catalogue/nexus_profile.h"
#include "workloads/catalogue/pipeline_file.h"
#include "workloads/catalogue/profile_set.h"

namespace harness {
namespace {

void check(const Pipeline& pipeline) {
  if (pipeline.modules.empty() || pipeline.slo_ns <= 0) std::abort();
  for (std::size_t i = 0; i < pipeline.modules.size(); ++i) {
    if (pipeline.modules[i].pres.empty() != (i == 0)) std::abort();
    const Module& module = pipeline.modules[i];
    const bool chooses = module.branches != Branches::kAll;
    if (module.branch_weights.size() != (chooses ? module.subs.size() : 0)) std::abort();
    for (const ModuleId pre : pipeline.modules[i].pres) {
      if (pre >= i) std::abort();
    }
  }
}

void check(const Profile& profile) {
  if (profile.latency_ns.empty()) std::abort();
  for (const TimeNs latency : profile.latency_ns) {
    if (latency <= 0) std::abort();
  }
}

void read_any(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0] % 3) {
    case 0:
      accepts("fuzz.toml", [&] { check(parse_pipeline("fuzz.toml", text)); });
      break;
    case 1:
      accepts("fuzz.toml", [&] {
        for (const auto& [name, profile] : parse_profiles("fuzz.toml", text).profiles) check(profile);
      });
      break;
    default:
      accepts("fuzz.txt", [&] { check(parse_nexus_profile("fuzz.txt", text)); });
  }
}

}  // namespace
}  // namespace harness

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  harness::read_any(data, size);
  return 0;
}
