// Threads on cores of their own.
#pragma once

#include <vector>

namespace harness {

/// Keeps the calling thread on one core, and restores its former cores at the end. The constructor throws
/// EnvironmentError, with the allowed cores, if the kernel refuses. The object must be destroyed by the same
/// thread.
class PinnedThread {
 public:
  explicit PinnedThread(int core);
  ~PinnedThread();
  PinnedThread(const PinnedThread&) = delete;
  PinnedThread& operator=(const PinnedThread&) = delete;

 private:
  std::vector<int> former_;
};

/// Returns the cores on which the calling thread may run, ascending.
std::vector<int> allowed_cores();

}  // namespace harness
