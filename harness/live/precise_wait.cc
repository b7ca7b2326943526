#include "harness/live/precise_wait.h"

#include <sched.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "harness/core/error.h"

namespace harness {
namespace {

/// A set of cores of any size, as the kernel takes it.
class CoreSet {
 public:
  static constexpr int kMostCores = 8192;
  CoreSet() : bits_(CPU_ALLOC(kMostCores)) { CPU_ZERO_S(size(), bits_); }
  ~CoreSet() { CPU_FREE(bits_); }
  CoreSet(const CoreSet&) = delete;
  CoreSet& operator=(const CoreSet&) = delete;

  void add(int core) { CPU_SET_S(core, size(), bits_); }
  bool has(int core) const { return CPU_ISSET_S(core, size(), bits_); }
  /// Of and for the calling thread; false with errno.
  bool read() { return sched_getaffinity(0, size(), bits_) == 0; }
  bool apply() const { return sched_setaffinity(0, size(), bits_) == 0; }

 private:
  static std::size_t size() { return CPU_ALLOC_SIZE(kMostCores); }
  cpu_set_t* bits_;
};

}  // namespace

TimeNs sleep_until(TimeNs deadline_ns) {
  TimeNs now = steady_ns();
  while (now < deadline_ns) {
    const timespec until = to_timespec(deadline_ns);
    const bool interrupted = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) != 0;
    now = steady_ns();
    if (interrupted) break;
  }
  return now;
}

TimeNs spin_until(TimeNs deadline_ns) {
  TimeNs now = steady_ns();
  while (now < deadline_ns) {
    __builtin_ia32_pause();
    now = steady_ns();
  }
  return now;
}

TimeNs precise_wait(TimeNs deadline_ns, const WaitParams& params) {
  const TimeNs slept_until = sleep_deadline_ns(deadline_ns, params);
  const TimeNs now = sleep_until(slept_until);
  return params.spin && now >= slept_until ? spin_until(deadline_ns) : now;
}

std::vector<int> allowed_cores() {
  CoreSet set;
  std::vector<int> cores;
  if (!set.read()) return cores;
  for (int core = 0; core < CoreSet::kMostCores; ++core) {
    if (set.has(core)) cores.push_back(core);
  }
  return cores;
}

PinnedThread::PinnedThread(int core) : former_(allowed_cores()) {
  CoreSet one;
  const bool possible = core >= 0 && core < CoreSet::kMostCores;
  if (possible) one.add(core);
  if (possible && one.apply()) return;
  std::string allowed;
  for (const int other : former_) allowed += (allowed.empty() ? "" : ", ") + std::to_string(other);
  throw EnvironmentError("cannot keep the sender on core " + std::to_string(core) + ": " +
                         std::strerror(possible ? errno : EINVAL) + "; allowed: " + allowed);
}

PinnedThread::~PinnedThread() {
  CoreSet set;
  for (const int core : former_) set.add(core);
  set.apply();
}

}  // namespace harness
