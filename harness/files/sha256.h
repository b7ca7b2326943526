// SHA-256, for the checksums of input files.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "harness/core/input_error.h"

namespace harness {

/// Returns the SHA-256 of the bytes, 64 hex digits.
std::string sha256_of(std::string_view bytes);
/// Returns the SHA-256 of all pieces, one behind the other.
std::string sha256_of(std::span<const std::string_view> pieces);
/// Returns the SHA-256 of the file's bytes, whatever its size. Throws InputError as read_file() does if it is
/// no readable regular file.
std::string sha256_of_file(const std::string& path, const InputPlace& named_at = {});

}  // namespace harness
