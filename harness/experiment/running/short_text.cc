#include "harness/experiment/running/short_text.h"

#include <array>
#include <cstdio>

namespace harness {

std::string formatted(const char* format, double value) {
  char text[64];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

std::string short_count(double count) {
  if (count >= 999.5e3) return formatted("%.1f M", count / 1e6);
  if (count >= 1e4) return formatted("%.0f k", count / 1e3);
  return formatted("%.0f", count);
}

std::string short_bytes(double bytes) {
  constexpr std::array<const char*, 7> kUnits = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
  constexpr double kStep = 1000;
  std::size_t unit = 0;
  for (; bytes >= kStep && unit + 1 < kUnits.size(); ++unit) bytes /= kStep;
  char text[48];
  std::snprintf(text, sizeof text, "%.3g %s", bytes, kUnits[unit]);
  return text;
}

std::string short_time(double seconds) {
  if (seconds < 60) return formatted(seconds < 9.95 ? "%.1f s" : "%.0f s", seconds);
  const auto whole = static_cast<long>(seconds);
  if (whole < 3600) return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
  return std::to_string(whole / 3600) + " h " + std::to_string(whole / 60 % 60) + " min";
}

}  // namespace harness
