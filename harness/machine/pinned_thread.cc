#include "harness/machine/pinned_thread.h"

#include <sched.h>

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <string>

#include "harness/core/environment_error.h"

namespace harness {
namespace {

/// A set of up to kMaxCores cores, in the kernel's form.
class CoreSet {
 public:
  static constexpr int kMaxCores = 8192;
  CoreSet() : bits_(CPU_ALLOC(kMaxCores)) { CPU_ZERO_S(size(), bits_); }
  ~CoreSet() { CPU_FREE(bits_); }
  CoreSet(const CoreSet&) = delete;
  CoreSet& operator=(const CoreSet&) = delete;

  void add(int core) { CPU_SET_S(core, size(), bits_); }
  bool has(int core) const { return CPU_ISSET_S(core, size(), bits_); }
  /// Reads the cores of the calling thread. Returns false, with errno, if that fails.
  bool read() { return sched_getaffinity(0, size(), bits_) == 0; }
  /// Sets the cores of the calling thread. Returns false, with errno, if that fails.
  bool apply() const { return sched_setaffinity(0, size(), bits_) == 0; }

 private:
  static std::size_t size() { return CPU_ALLOC_SIZE(kMaxCores); }
  cpu_set_t* bits_;
};

}  // namespace

PinnedThread::PinnedThread(int core) : former_(allowed_cores()) {
  CoreSet one;
  const bool possible = core >= 0 && core < CoreSet::kMaxCores;
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

std::vector<int> allowed_cores() {
  CoreSet set;
  std::vector<int> cores;
  if (!set.read()) return cores;
  for (int core = 0; core < CoreSet::kMaxCores; ++core) {
    if (set.has(core)) cores.push_back(core);
  }
  return cores;
}

}  // namespace harness
