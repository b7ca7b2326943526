#include "harness/gpu/staging.h"

#include <cstdint>
#include <cstring>
#include <string>

#include "harness/core/error.h"
#include "harness/gpu/assembly.h"
#include "harness/gpu/assembly_kernel.h"

namespace harness {
std::size_t staged_size(std::span<const Picture> pictures) {
  std::size_t size = pictures.size() * sizeof(StagedPicture);
  for (const Picture& picture : pictures) size += aligned(picture.bytes.size());
  return size;
}

void stage_pictures(std::span<const Picture> pictures, std::span<std::byte> host, const std::byte* device) {
  check_pictures(pictures);
  const std::size_t size = staged_size(pictures);
  if (host.size() < size) {
    throw input_error({"", 0, "buffer for " + std::to_string(pictures.size()) + " pictures"},
                      std::to_string(host.size()) + " bytes", "at least " + std::to_string(size) + " bytes");
  }
  std::size_t entry = 0;
  std::size_t at = pictures.size() * sizeof(StagedPicture);
  for (const Picture& picture : pictures) {
    const StagedPicture staged{reinterpret_cast<const std::uint32_t*>(device + at), picture.height,
                               picture.width};
    std::memcpy(host.data() + entry, &staged, sizeof staged);
    const std::size_t bytes = picture.bytes.size();
    std::memcpy(host.data() + at, picture.bytes.data(), bytes);
    std::memset(host.data() + at + bytes, 0, aligned(bytes) - bytes);
    entry += sizeof staged;
    at += aligned(bytes);
  }
}

}  // namespace harness
