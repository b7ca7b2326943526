// The kinds of devices that the conformance test takes, and the models that it loads there.
#pragma once

#include <condition_variable>
#include <functional>
#include <limits>
#include <memory>
#include <mutex>
#include <new>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/gpu/device/device.h"

namespace harness {

/// Holds batches between stages until the test lets them on. Open until close().
class StageGate {
 public:
  /// Called by a stage: counts it, and waits until that many stages are allowed.
  void enter() {
    std::unique_lock lock(mutex_);
    const int place = ++entered_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return place <= allowed_; });
  }
  /// Restarts the count from 0, and lets no stage on.
  void close() {
    const std::lock_guard lock(mutex_);
    entered_ = 0;
    allowed_ = 0;
  }
  /// Lets the first `count` stages on.
  void allow(int count) {
    const std::lock_guard lock(mutex_);
    allowed_ = count;
    changed_.notify_all();
  }
  void open() { allow(std::numeric_limits<int>::max()); }
  /// Waits until `count` stages have entered.
  void wait_for(int count) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return entered_ >= count; });
  }
  int entered() {
    const std::lock_guard lock(mutex_);
    return entered_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int entered_ = 0;
  int allowed_ = std::numeric_limits<int>::max();
};

/// The number of stages of each of the test's models, so there are three places for exit points.
inline constexpr int kTestStages = 4;

/// Does what a stage of a test's model does besides computing: "gated" passes the gate; "failing", "hungry"
/// and "breaking", which loses the device, throw in their second stage if the batch has at least two images.
/// "breaking" passes the gate in its first stage.
inline void run_test_stage(const DevicePlace& place, int stage, int batch, StageGate& gate) {
  if (place.model == "gated" || (place.model == "breaking" && stage == 0)) gate.enter();
  if (stage != 1 || batch < 2) return;
  if (place.model == "failing") throw std::runtime_error("numbers\nran out");
  if (place.model == "hungry") throw std::bad_alloc();
  if (place.model == "breaking") throw DeviceError(DeviceFault::kDeviceLost, place, "fell off the bus");
}

/// A kind of device whose models behave like run_test_stage(), except that the model "absent" does not exist.
/// The device's name is "kind 7".
struct TestedKind {
  std::string name;
  std::function<std::unique_ptr<Device>(std::shared_ptr<StageGate>, Device::Wake)> make;
  bool computes = true;  ///< true if it runs the stages
  std::string missing;   ///< reason why it is not available here; its tests are skipped then
};

// NOLINTNEXTLINE(readability-identifier-naming): GoogleTest's name
inline void PrintTo(const TestedKind& kind, std::ostream* out) { *out << kind.name; }

/// Returns the kinds that this test program holds to the contract; each program has its own.
std::vector<TestedKind> tested_kinds();

}  // namespace harness
