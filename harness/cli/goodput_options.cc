#include "harness/cli/goodput_options.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <map>

#include "harness/cli/printing.h"
#include "harness/cli/profile_jobs.h"
#include "harness/core/input_error.h"
#include "harness/core/param_list.h"
#include "harness/experiment/cells/goodput_search.h"
#include "harness/files/file_bytes.h"
#include "workloads/catalogue/catalogue.h"
#include "workloads/catalogue/goodput_text.h"
#include "workloads/catalogue/profile_set.h"

namespace harness {
namespace {

constexpr double kLongestSloMs = 1e6;
constexpr int kMaxGoodputRequests = 10'000'000;

/// Returns the file's words on how the goodput was found.
std::string source_of(const GoodputSearch& search) {
  return "harness profile --goodput: simulated, FLEX (SHEPHERD) on one GPU, Poisson arrivals, " +
         text_of(100 * search.share) + " % of " + text_of(search.requests) + " requests in time, seed " +
         std::to_string(search.seed);
}

std::string line_of(const std::string& model, const std::vector<GoodputPoint>& points) {
  std::array<char, 96> text{};
  std::snprintf(text.data(), text.size(), "%-16s", model.c_str());
  std::string line = text.data();
  for (const GoodputPoint& point : points) {
    std::snprintf(text.data(), text.size(), " %9.1f", point.rps);
    line += text.data();
  }
  return line + "\n";
}

std::string header_of(const GoodputOptions& options) {
  std::array<char, 96> text{};
  std::snprintf(text.data(), text.size(), "%-16s", "requests/s at");
  std::string line = text.data();
  for (const double slo_ms : options.slos_ms) {
    std::snprintf(text.data(), text.size(), " %6s ms", text_of(slo_ms).c_str());
    line += text.data();
  }
  return line + "\n";
}

}  // namespace

void check_goodput(const GoodputOptions& options) {
  const auto wrong = [](const char* option, const std::string& found, const char* allowed) {
    return input_error({"", 0, option}, found, allowed);
  };
  if (options.slos_ms.empty()) {
    if (!options.profiles.empty())
      throw wrong("--profiles", "no --goodput", "the SLOs, such as --goodput 100,250");
    return;
  }
  for (const double slo_ms : options.slos_ms) {
    if (!(slo_ms >= 1e-6 && slo_ms <= kLongestSloMs))
      throw wrong("--goodput", text_of(slo_ms), "SLOs in ms, above 0, at most 1e6");
  }
  if (!std::is_sorted(options.slos_ms.begin(), options.slos_ms.end(), std::less_equal<>()))
    throw wrong("--goodput", "SLOs that do not rise", "each larger than the last");
  if (!(options.share > 0 && options.share <= 1))
    throw wrong("--goodput-share", text_of(options.share), "a share above 0, at most 1, such as 0.99");
  if (options.requests < 100 || options.requests > kMaxGoodputRequests)
    throw wrong("--goodput-requests", std::to_string(options.requests), "100 to 10000000");
}

std::string text_with_goodput(const std::string& file, const std::string& text, const GoodputOptions& options,
                              std::uint64_t seed, bool verbose) {
  const GoodputSearch search{options.share, static_cast<double>(options.requests), seed};
  std::map<std::string, std::vector<GoodputPoint>> goodput;
  const ProfileSet set = parse_profiles(file, text);
  for (const auto& first : set.profiles) {
    const auto has = [&](const auto& device) { return device.second.contains(first.first); };
    if (std::count_if(set.devices.begin(), set.devices.end(), has) > 1)
      throw input_error({file, 0, "model"}, "profiles of '" + first.first + "' on several devices",
                        "a set of one device with --goodput");
  }
  if (verbose) print_text(header_of(options));
  for (const auto& [model, profile] : set.profiles) {
    if (profile.service != Service::kBatch) continue;
    std::vector<GoodputPoint>& points = goodput[model];
    for (const double slo_ms : options.slos_ms) {
      const TimeNs slo_ns = ms_to_ns(slo_ms);
      points.push_back({slo_ns, one_gpu_goodput_rps(profile, slo_ns, search)});
    }
    if (verbose) print_text(line_of(model, points));
  }
  return with_goodput(file, text, goodput, source_of(search));
}

int add_goodput(const GoodputOptions& options, std::uint64_t seed, const std::string& output) {
  check_goodput(options);
  const std::string path = path_in("profiles", "profiles", options.profiles);
  if (!path.ends_with(".toml"))
    throw input_error({"", 0, "--profiles"}, "'" + path + "'", "a set of profiles in TOML");
  check_profile_output(output);
  const bool is_file = is_profile_file(output);
  const std::string text = read_file(path);
  with_goodput(path, text, {}, "none");  // before the search: whether the file can take it
  write_file(output, text_with_goodput(path, text, options, seed, is_file));
  return 0;
}

}  // namespace harness
