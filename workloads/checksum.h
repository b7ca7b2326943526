// SHA-256, for the checksums of input files.
#pragma once

#include <string>
#include <string_view>

namespace harness {

/// SHA-256 of the bytes, 64 hex digits.
std::string sha256_of(std::string_view bytes);
/// SHA-256 of the file's bytes. Throws InputError when it cannot be read.
std::string sha256_of_file(const std::string& path);

}  // namespace harness
