// A batch's pictures laid out for one copy to the device: the kernel's table of pictures, then their bytes.
#pragma once

#include <cstddef>
#include <span>

#include "harness/gpu/picture.h"

namespace harness {

/// Bytes that stage_pictures fills: 16 for each entry of the table, each picture rounded up to a multiple
/// of 16.
std::size_t staged_size(std::span<const Picture> pictures);

/// Writes the first staged_size bytes of `host` such that, copied as they are to address `device` (a multiple
/// of 16), they hold an array of StagedPicture, one for each picture and in their order, that points at the
/// pictures' bytes behind it. Throws InputError, before writing anything, for pictures that check_pictures
/// refuses and for a `host` too small.
void stage_pictures(std::span<const Picture> pictures, std::span<std::byte> host, const std::byte* device);

}  // namespace harness
