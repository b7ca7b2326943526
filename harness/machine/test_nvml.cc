// A replacement for NVML, loaded by a test. It has one GPU, "0000:1A:00.0", which is idle at the first look;
// then its clock falls from 1980 MHz to 1500 MHz by its power limit.
#include <cstring>

namespace {
unsigned looks = 0;
int users = 0;
}  // namespace

extern "C" {
// NOLINTBEGIN(readability-identifier-naming): NVML's names

int nvmlInit_v2() { return ++users == 1 ? 0 : 999; }

int nvmlShutdown() {
  --users;
  return 0;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char* bus_id, void** device) {
  if (users != 1 || std::strcmp(bus_id, "0000:1A:00.0") != 0) return 6;
  *device = &looks;
  return 0;
}

int nvmlDeviceGetClockInfo(void* device, unsigned kind, unsigned* mhz) {
  if (device != &looks || kind != 1) return 2;
  *mhz = looks == 0 ? 345 : (looks == 1 ? 1980 : 1500);
  ++looks;
  return 0;
}

int nvmlDeviceGetMaxClockInfo(void* device, unsigned kind, unsigned* mhz) {
  if (device != &looks || kind != 1) return 2;
  *mhz = 1980;
  return 0;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void* device, unsigned long long* reasons) {
  if (device != &looks) return 2;
  *reasons = looks == 1 ? 0x1 : (looks == 2 ? 0 : 0x4);
  return 0;
}
// NOLINTEND(readability-identifier-naming)
}
