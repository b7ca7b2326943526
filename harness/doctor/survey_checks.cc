#include "harness/doctor/survey_checks.h"

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/types.h"
#include "harness/core/wording.h"
#include "harness/doctor/launch.h"
#include "harness/machine/machine_checks.h"
#include "harness/machine/usable_cores.h"

namespace harness {
namespace {

// The limit of the time one way; above it SLOs of tens of milliseconds begin to blur.
constexpr TimeNs kSlowLinkNs = 2 * kNsPerMs;
constexpr TimeNs kPoorClockNs = kNsPerMs;
// The number of modules of the chain in the example, tm's.
constexpr int kModules = 3;

std::string ms(TimeNs ns) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", static_cast<double>(ns) / 1e6);
  return text;
}

std::string named(const RankFacts& facts) {
  return "rank " + std::to_string(facts.rank) + " (" + facts.host + ")";
}

/// Returns the first few of a list, and how many more there are.
std::string few(const std::vector<std::string>& names) {
  constexpr std::size_t kFew = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(names.size(), kFew); ++i) text += (i == 0 ? "" : ", ") + names[i];
  if (names.size() > kFew) text += " and " + std::to_string(names.size() - kFew) + " more";
  return text;
}

struct Host {
  std::string name;
  int ranks = 0;
  UsableCores cores;  ///< cores that any of its ranks may use
};

/// Returns the hosts in the order of their first ranks.
std::vector<Host> hosts_of(std::span<const RankFacts> facts) {
  std::vector<Host> hosts;
  for (const RankFacts& one : facts) {
    if (!one.answered) continue;
    auto host = std::find_if(hosts.begin(), hosts.end(), [&](const Host& h) { return h.name == one.host; });
    if (host == hosts.end()) host = hosts.insert(hosts.end(), Host{one.host, 0, {}});
    ++host->ranks;
    std::vector<int>& cores = host->cores.allowed;
    cores.insert(cores.end(), one.cores.allowed.begin(), one.cores.allowed.end());
    std::sort(cores.begin(), cores.end());
    cores.erase(std::unique(cores.begin(), cores.end()), cores.end());
    if (one.cores.quota) host->cores.quota = one.cores.quota;
  }
  return hosts;
}

std::string layout_text(const std::vector<Host>& hosts) {
  std::vector<std::string> names;
  for (const Host& host : hosts) names.push_back(host.name + ": " + std::to_string(host.ranks));
  return few(names);
}

/// Returns the ranks other than 0 that answered and made round trips.
std::vector<const RankFacts*> others(std::span<const RankFacts> facts) {
  std::vector<const RankFacts*> found;
  for (const RankFacts& one : facts) {
    if (one.rank != 0 && one.answered && one.round_trips > 0) found.push_back(&one);
  }
  return found;
}

/// Returns the cluster.network_delay_ms that costs a request of a chain of `modules` as much as the live
/// cluster's links do: the first module is one message from the dispatcher, each later one two, through it;
/// the simulator charges every module the same.
TimeNs hop_delay_ns(TimeNs one_way_ns, int modules) { return one_way_ns * (2 * modules - 1) / modules; }

}  // namespace

Check check_launch(const Launch& launch, std::span<const RankFacts> facts) {
  const auto ranks = static_cast<int>(facts.size());
  const std::vector<Host> hosts = hosts_of(facts);
  std::string found = launch.library + ", " + counted(ranks, "rank");
  if (ranks > 1) found += " on " + counted(hosts.size(), "host") + " (" + layout_text(hosts) + ")";
  if (launch.size > 1 && launch.size != ranks) {
    found = launch.library + ": " + std::to_string(launch.size) + " tasks were started, but MPI sees " +
            std::to_string(ranks);
    return {CheckLevel::kFail, "MPI", found,
            launch.by_slurm && !launch.by_mpi ? "srun --mpi=pmix"
                                              : "use the mpirun of the MPI that the program was built with"};
  }
  if (!launch.by_mpi) found += ", no launcher";
  return {CheckLevel::kOk, "MPI", found, ranks == 1 ? "for several ranks: harness doctor -n 9" : ""};
}

std::vector<Check> check_silent(std::span<const RankFacts> facts) {
  std::vector<std::string> silent;
  for (const RankFacts& one : facts) {
    if (!one.answered)
      silent.push_back("rank " + std::to_string(one.rank) + (one.host.empty() ? "" : " (" + one.host + ")"));
  }
  if (silent.empty()) return {};
  return {{CheckLevel::kFail, "ranks", "no answer from " + few(silent),
           "look at those hosts: overloaded, stopped, or a firewall between them"}};
}

std::vector<Check> check_hosts(std::span<const RankFacts> facts) {
  struct Finding {
    Check check;
    std::vector<std::string> hosts;
  };
  std::vector<Finding> findings;
  const auto add = [&](const std::string& host, const Check& check) {
    for (Finding& finding : findings) {
      if (text_of(finding.check) == text_of(check)) return finding.hosts.push_back(host);
    }
    // It goes beside the other findings about the same.
    const auto last = std::find_if(findings.rbegin(), findings.rend(), [&](const Finding& finding) {
      return finding.check.subject == check.subject;
    });
    findings.insert(last == findings.rend() ? findings.end() : last.base(), Finding{check, {host}});
  };
  const std::vector<Host> hosts = hosts_of(facts);
  for (const Host& host : hosts) add(host.name, check_cores(host.cores, host.ranks));
  for (const RankFacts& one : facts) {
    for (const Check& check : one.checks) add(one.host, check);
  }
  std::vector<Check> checks;
  for (Finding& finding : findings) {
    if (finding.hosts.size() < hosts.size())
      finding.check.found = few(finding.hosts) + ": " + finding.check.found;
    checks.push_back(std::move(finding.check));
  }
  return checks;
}

Check check_links(std::span<const RankFacts> facts) {
  std::vector<const RankFacts*> ranks = others(facts);
  if (ranks.empty()) return {CheckLevel::kFail, "links", "no round trip was possible", "see the lines above"};
  std::sort(ranks.begin(), ranks.end(), [](const RankFacts* a, const RankFacts* b) {
    return a->round_trip_p50_ns < b->round_trip_p50_ns;
  });
  const RankFacts& middle = *ranks[(ranks.size() - 1) / 2];
  const RankFacts& slowest = **std::max_element(
      ranks.begin(), ranks.end(),
      [](const RankFacts* a, const RankFacts* b) { return a->round_trip_p99_ns < b->round_trip_p99_ns; });
  const std::string found = "one way (half a round trip) median " + ms(middle.round_trip_p50_ns / 2) +
                            " ms, p99 " + ms(slowest.round_trip_p99_ns / 2) + " ms at " + named(slowest);
  const TimeNs one_way_ns = middle.round_trip_p50_ns / 2;
  const std::string value = "to simulate this cluster: serving.state_delay_ms = " + ms(one_way_ns) +
                            ", cluster.network_delay_ms = (2 - 1/modules) times that, " +
                            ms(hop_delay_ns(one_way_ns, kModules)) + " for " + std::to_string(kModules);
  if (slowest.round_trip_p99_ns / 2 > kSlowLinkNs)
    return {CheckLevel::kWarn, "links", found, value + "; slow: fewer ranks a core, another network"};
  return {CheckLevel::kOk, "links", found, value};
}

Check check_clocks(std::span<const RankFacts> facts) {
  const std::vector<const RankFacts*> ranks = others(facts);
  if (ranks.empty()) return {CheckLevel::kFail, "clocks", "could not be compared", "see the lines above"};
  const RankFacts& worst = **std::max_element(
      ranks.begin(), ranks.end(),
      [](const RankFacts* a, const RankFacts* b) { return a->clock_bound_ns < b->clock_bound_ns; });
  const std::string found = "known to within " + ms(worst.clock_bound_ns) + " ms (" + named(worst) +
                            ", offset " + ms(worst.clock_offset_ns) + " ms)";
  if (worst.clock_bound_ns > kPoorClockNs)
    return {CheckLevel::kWarn, "clocks", found, "times on other ranks are no better: see links"};
  return {CheckLevel::kOk, "clocks", found, ""};
}

Check check_wakes(std::span<const RankFacts> facts) {
  std::vector<std::string> deaf;
  for (const RankFacts* one : others(facts)) {
    if (!one->woken) deaf.push_back("from rank 0 to " + named(*one));
    if (!one->wakes) deaf.push_back("from " + named(*one) + " to rank 0");
  }
  if (deaf.empty()) return {CheckLevel::kOk, "wake-ups", "end the sleep of every rank", ""};
  return {CheckLevel::kFail, "wake-ups", "none comes " + few(deaf),
          "sleeping ranks hear of messages late: allow UDP between all ports of the hosts"};
}

}  // namespace harness
