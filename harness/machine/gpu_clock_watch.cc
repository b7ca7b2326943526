#include "harness/machine/gpu_clock_watch.h"

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace harness {
namespace {

constexpr std::chrono::milliseconds kBetweenLooks{250};
constexpr unsigned kMultiprocessors = 1;  ///< NVML_CLOCK_SM
constexpr std::uint64_t kIdle = 0x1;      ///< nvmlClocksEventReasonGpuIdle

/// A reason why a GPU is slower than it could be, with its bits of nvml.h.
struct ThrottleReason {
  std::uint64_t bits;
  const char* name;
};
constexpr ThrottleReason kThrottleReasons[] = {
    {0x2, "a clock that was set for it"},       {0x4 | 0x80, "its power limit"}, {0x20 | 0x40, "heat"},
    {0x10, "others of its group (sync boost)"}, {0x8, "its hardware"},
};

template <typename Function>
bool find(void* library, const char* name, Function*& function) {
  function = reinterpret_cast<Function*>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace

std::vector<std::string> gpu_clock_notes(const std::vector<GpuClockLook>& looks, unsigned most_mhz) {
  if (looks.empty()) return {"the GPU's clock was not seen under load"};
  std::vector<unsigned> mhz;
  for (const GpuClockLook& look : looks) mhz.push_back(look.mhz);
  std::sort(mhz.begin(), mhz.end());
  std::string clock =
      "GPU clock " + std::to_string(mhz[mhz.size() / 2]) + " MHz (least " + std::to_string(mhz.front()) + ")";
  if (most_mhz > 0) clock += " of at most " + std::to_string(most_mhz);
  std::vector<std::string> notes = {clock};
  for (const ThrottleReason& reason : kThrottleReasons) {
    const auto slowed = std::count_if(looks.begin(), looks.end(), [&](const GpuClockLook& look) {
      return (look.reasons & reason.bits) != 0;
    });
    if (slowed == 0) continue;
    const double share = 100.0 * static_cast<double>(slowed) / static_cast<double>(looks.size());
    notes.push_back(std::string("GPU slowed down by ") + reason.name + " in " +
                    std::to_string(std::max(1L, std::lround(share))) + " % of " +
                    std::to_string(looks.size()) + " looks");
  }
  if (notes.size() == 1) notes.emplace_back("GPU not slowed down");
  return notes;
}

GpuClockWatch::GpuClockWatch(const std::string& bus_id, const std::string& library)
    : why_(open(bus_id, library)) {
  if (why_.empty()) thread_ = std::thread([this] { watch(); });
}

GpuClockWatch::~GpuClockWatch() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  changed_.notify_all();
  thread_.join();
  nvml_.shut_down();
}

std::string GpuClockWatch::open(const std::string& bus_id, const std::string& library) {
  void* const handle = dlopen(library.c_str(), RTLD_NOW);  // never closed: drivers may not bear unloading
  if (handle == nullptr) return "no " + library;
  const bool found = find(handle, "nvmlInit_v2", nvml_.init) &&
                     find(handle, "nvmlShutdown", nvml_.shut_down) &&
                     find(handle, "nvmlDeviceGetHandleByPciBusId_v2", nvml_.device_of) &&
                     find(handle, "nvmlDeviceGetClockInfo", nvml_.clock) &&
                     find(handle, "nvmlDeviceGetMaxClockInfo", nvml_.most_clock) &&
                     (find(handle, "nvmlDeviceGetCurrentClocksEventReasons", nvml_.reasons) ||
                      find(handle, "nvmlDeviceGetCurrentClocksThrottleReasons", nvml_.reasons));
  if (!found) return library + " lacks a function";
  const int status = nvml_.init();
  if (status != 0) return library + " answers with error " + std::to_string(status);
  if (nvml_.device_of(bus_id.c_str(), &device_) != 0) {
    nvml_.shut_down();
    return library + " knows no GPU " + bus_id;
  }
  if (nvml_.most_clock(device_, kMultiprocessors, &most_mhz_) != 0) most_mhz_ = 0;
  return "";
}

void GpuClockWatch::look() {
  GpuClockLook look;
  unsigned long long reasons = 0;
  if (nvml_.clock(device_, kMultiprocessors, &look.mhz) != 0 || nvml_.reasons(device_, &reasons) != 0) return;
  look.reasons = reasons;
  if ((look.reasons & kIdle) != 0) return;
  const std::lock_guard lock(mutex_);
  looks_.push_back(look);
}

void GpuClockWatch::watch() {
  for (;;) {
    look();
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, kBetweenLooks, [this] { return over_; })) return;
  }
}

std::vector<std::string> GpuClockWatch::notes() {
  if (!why_.empty()) return {"the GPU's clocks are not visible: " + why_};
  const std::lock_guard lock(mutex_);
  return gpu_clock_notes(looks_, most_mhz_);
}

}  // namespace harness
