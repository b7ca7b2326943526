#include "harness/gpu/cuda/cuda_gpus.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "harness/core/input_error.h"

namespace harness {
namespace {

TEST(CudaGpus, SaysInOneLineWhyThereIsNone) {
  const std::vector<DeviceInfo> infos = list_cuda_gpus();
  ASSERT_FALSE(infos.empty());
  for (const DeviceInfo& info : infos)
    EXPECT_EQ(std::count(info.description.begin(), info.description.end(), '\n'), 0);
  const std::string why = why_no_cuda_device();
  if (why.empty()) GTEST_SKIP() << "there is a GPU: " << infos.front().description;
  ASSERT_EQ(infos.size(), 1U);
  EXPECT_FALSE(infos.front().is_usable);
  EXPECT_EQ(infos.front().description, "no GPU: " + why);
  EXPECT_THROW(cuda_gpu_name(0), InputError);
}

TEST(CudaGpus, NamesThoseThatThereAre) {
  if (!why_no_cuda_device().empty()) GTEST_SKIP() << "no GPU: " << why_no_cuda_device();
  const std::vector<DeviceInfo> infos = list_cuda_gpus();
  for (std::size_t i = 0; i < infos.size(); ++i) {
    EXPECT_EQ(infos[i].name, "cuda:" + std::to_string(i));
    EXPECT_EQ(std::count(infos[i].bus_id.begin(), infos[i].bus_id.end(), ':'), 2) << infos[i].bus_id;
    if (!infos[i].is_usable) continue;
    const std::string name = cuda_gpu_name(static_cast<int>(i));
    EXPECT_EQ(name.rfind(infos[i].name + " ", 0), 0U) << name;
  }
  EXPECT_THROW(cuda_gpu_name(static_cast<int>(infos.size())), InputError);
  EXPECT_THROW(cuda_gpu_name(-1), InputError);
}

}  // namespace
}  // namespace harness
