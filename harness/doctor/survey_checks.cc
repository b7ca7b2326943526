#include "harness/doctor/survey_checks.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/statfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <vector>

#include "harness/core/error.h"
#include "harness/machine/this_host.h"
#include "workloads/files/file_bytes.h"

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

int number_in(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? 0 : std::atoi(text);
}

/// Returns the cluster.network_delay_ms that costs a request of a chain of `modules` as much as the live
/// cluster's links do: the first module is one message from the dispatcher, each later one two, through it;
/// the simulator charges every module the same.
TimeNs hop_delay_ns(TimeNs one_way_ns, int modules) { return one_way_ns * (2 * modules - 1) / modules; }

constexpr double kLittleSpace = 1e9;
constexpr double kNoSpace = 5e7;
constexpr TimeNs kSlowSyncNs = 100 * kNsPerMs;
constexpr std::size_t kTryBytes = std::size_t{1} << 20;

/// Returns the folder, or the nearest one above it that exists.
std::string existing(const std::string& folder) {
  std::error_code error;
  std::filesystem::path path = std::filesystem::absolute(folder.empty() ? "." : folder, error);
  while (!std::filesystem::exists(path, error) && path.has_relative_path()) path = path.parent_path();
  return path.string();
}

/// A file that is closed at the end of its life.
class File {
 public:
  explicit File(int number) : number_(number) {}
  ~File() {
    if (number_ >= 0) ::close(number_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  int number() const { return number_; }

 private:
  int number_;
};

/// Returns the time to write and sync a file, or the negative number of the error.
TimeNs time_to_sync(const std::string& folder) {
  std::string name = folder + "/.harness-doctor-XXXXXX";
  const File file(::mkstemp(name.data()));
  if (file.number() < 0) return -errno;
  ::unlink(name.c_str());
  const std::string bytes(kTryBytes, 'x');
  const TimeNs began_ns = steady_ns();
  if (const int error = write_fully(file.number(), bytes); error != 0) return -error;
  if (::fsync(file.number()) != 0) return -errno;
  return steady_ns() - began_ns;
}

Check socket_failed(const char* what) {
  return {CheckLevel::kFail, "sockets", std::string(what) + ": " + std::strerror(errno),
          "ranks wake each other by datagrams: allow UDP here"};
}

}  // namespace

Launch launch_of_this_process() {
  Launch launch;
  launch.by_slurm = std::getenv("SLURM_PROCID") != nullptr && std::getenv("SLURM_STEP_ID") != nullptr;
  for (const char* rank : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"})
    launch.by_mpi = launch.by_mpi || std::getenv(rank) != nullptr;
  for (const char* size : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"})
    if (launch.size == 0) launch.size = number_in(size);
  if (launch.size == 0 && launch.by_slurm) launch.size = number_in("SLURM_STEP_NUM_TASKS");
  return launch;
}

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

Check check_output_folder(const std::string& folder) {
  const std::string where = existing(folder);
  const std::string subject = "output folder";
  const TimeNs sync_ns = time_to_sync(where);
  if (sync_ns < 0) {
    return {CheckLevel::kFail, subject, where + ": " + std::strerror(static_cast<int>(-sync_ns)),
            "name a folder that can be written with -o"};
  }
  struct statfs status = {};
  const bool known = ::statfs(where.c_str(), &status) == 0;
  const double free = static_cast<double>(status.f_bavail) * static_cast<double>(status.f_bsize);
  char text[128];
  std::snprintf(text, sizeof text, "%.3g GB free, 1 MiB is safe after %.2g ms", free / 1e9,
                static_cast<double>(sync_ns) / 1e6);
  const std::string found = where + ": " + text;
  if (known && free < kNoSpace)
    return {CheckLevel::kFail, subject, found, "free some space, or -o elsewhere"};
  if (known && free < kLittleSpace)
    return {CheckLevel::kWarn, subject, found,
            "a large experiment with rows may not fit: record.rows = false"};
  if (sync_ns > kSlowSyncNs) {
    return {CheckLevel::kWarn, subject, found,
            "each finished cell waits as long: a local disk with -o, copied afterwards"};
  }
  return {CheckLevel::kOk, subject, found, ""};
}

Check check_file_locking(const std::string& folder, const std::string& setting) {
  constexpr long kNfs = 0x6969;
  constexpr long kLustre = 0x0BD00BD0;
  constexpr long kGpfs = 0x47504653;
  struct statfs status = {};
  const bool known = ::statfs(existing(folder).c_str(), &status) == 0;
  const auto type = static_cast<long>(status.f_type);
  const bool network = known && (type == kNfs || type == kLustre || type == kGpfs);
  const std::string value =
      setting.empty() ? "HDF5_USE_FILE_LOCKING is not set" : "HDF5_USE_FILE_LOCKING=" + setting;
  const std::string found =
      value + (network ? ", folder on a network file system" : ", folder on a local file system");
  if (network && setting != "FALSE") {
    return {CheckLevel::kWarn, "file locks", found,
            "if HDF5 cannot lock there: export HDF5_USE_FILE_LOCKING=FALSE (mpirun -x, on all ranks)"};
  }
  return {CheckLevel::kOk, "file locks", found, ""};
}

Check check_own_socket() {
  const File file(::socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  if (file.number() < 0) return socket_failed("no datagram socket");
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  if (::bind(file.number(), generic, size) != 0 || ::getsockname(file.number(), generic, &size) != 0)
    return socket_failed("a datagram socket cannot be bound");
  if (::sendto(file.number(), "x", 1, 0, generic, size) != 1)
    return socket_failed("a datagram cannot be sent");
  constexpr int kWaitMs = 1000;
  pollfd ready{file.number(), POLLIN, 0};
  if (::poll(&ready, 1, kWaitMs) != 1) {
    errno = ETIMEDOUT;
    return socket_failed("a datagram to 127.0.0.1 does not come");
  }
  return {CheckLevel::kOk, "sockets", "a datagram to this host comes", ""};
}

}  // namespace harness
