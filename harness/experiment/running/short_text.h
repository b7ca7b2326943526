// Numbers as a user reads them at a glance.
#pragma once

#include <string>

namespace harness {

/// Returns the number in this format of printf().
std::string formatted(const char* format, double value);
/// Returns "3.2 M", "850 k", "12".
std::string short_count(double count);
/// Returns "1.2 GB", "850 MB", "12 kB".
std::string short_bytes(double bytes);
/// Returns "4.1 s", "2 min 5 s", "1 h 3 min".
std::string short_time(double seconds);

}  // namespace harness
