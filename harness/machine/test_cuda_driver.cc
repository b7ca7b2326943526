// A replacement for CUDA's driver, loaded by a test: its GPUs are the letters of FAKE_CUDA_GPUS, and a GPU's
// UUID consists of its letter; "-" is a GPU whose UUID the driver does not tell.
#include <cstdlib>
#include <cstring>

namespace {
constexpr int kUuidBytes = 16;
constexpr int kNoDevice = 100;  // CUDA_ERROR_NO_DEVICE
const char* gpus() {
  const char* const given = std::getenv("FAKE_CUDA_GPUS");
  return given == nullptr ? "" : given;
}
}  // namespace

extern "C" {
// NOLINTBEGIN(readability-identifier-naming): the driver's names

int cuInit(unsigned) { return *gpus() == 0 ? kNoDevice : 0; }

int cuDeviceGetCount(int* count) {
  *count = static_cast<int>(std::strlen(gpus()));
  return 0;
}

int cuDeviceGet(int* device, int index) {
  *device = index;
  return 0;
}

int cuDeviceGetUuid_v2(char* uuid, int device) {
  if (gpus()[device] == '-') return 1;
  std::memset(uuid, gpus()[device], kUuidBytes);
  return 0;
}
// NOLINTEND(readability-identifier-naming)
}
