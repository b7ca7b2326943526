// Whole files in memory, plain or gzipped, their checksums, and files that appear only when they are
// complete.
#pragma once

#include <string>
#include <string_view>

namespace harness {

// SHA-256, for the checksums of input files.

/// SHA-256 of the bytes, 64 hex digits.
std::string sha256_of(std::string_view bytes);
/// SHA-256 of the file's bytes. Throws InputError when it cannot be read.
std::string sha256_of_file(const std::string& path);

/// No input file, packed or unpacked, may be larger.
inline constexpr std::size_t kLargestInput = std::size_t{1} << 30;

/// The file's bytes. Throws InputError naming the path when it is missing, a folder, unreadable or above
/// kLargestInput.
std::string read_file(const std::string& path);

/// `bytes` unpacked when they begin like gzip, else as they are. Throws InputError (`file` is for the
/// message) when the gzip data are truncated, corrupt, followed by something else, or unpack to more than
/// kLargestInput.
std::string unpacked(const std::string& file, std::string_view bytes);

/// `bytes` as gzip, without a time stamp, so that equal input gives equal files.
std::string packed(std::string_view bytes);

/// Writes the file under a temporary name beside it, flushes it to the disk and renames it; packed when the
/// name ends in .gz. A device or pipe (/dev/stdout) is written directly. Throws EnvironmentError naming the
/// path; nothing is then left behind.
void write_file(const std::string& path, std::string_view bytes);

}  // namespace harness
