// Whole files in memory, plain or gzipped.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "harness/core/input_error.h"

namespace harness {

/// The largest size of a text, such as an experiment's: 16 MiB, twice a list of a million seeds.
inline constexpr std::size_t kLargestText = std::size_t{1} << 24;
/// The largest size of a trace, packed or unpacked: 512 MiB, thrice a day of Azure Functions.
inline constexpr std::size_t kLargestTrace = std::size_t{1} << 29;

/// Returns the file's bytes. Throws InputError if it is missing, no regular file, unreadable or above
/// `largest` bytes: at `named_at`, the key that names it (place_of_file()), else naming the path alone.
std::string read_file(const std::string& path, std::size_t largest = kLargestText,
                      const InputPlace& named_at = {});

/// Returns `bytes` as gzip, without a time stamp, so that equal input gives equal files.
std::string packed(std::string_view bytes);

/// Writes the file as a FileWriter does; packed if the name ends in .gz.
void write_file(const std::string& path, std::string_view bytes);

}  // namespace harness
