// Times as people write them in logs: stamps, numbers with units.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "harness/core/types.h"

namespace harness {

/// Nanoseconds since 1970 (UTC, years 1970 to 2200) of a date and time in ISO 8601: "2023-11-16
/// 18:15:46.6805900", with a comma before the fraction or '/' in the date, with T, a blank or a separator of
/// columns between, without the seconds or the time of day, with Z, " UTC" or an offset such as +01:00
/// behind; of one as a number: 2023111618, with minute and second; or as web servers log them,
/// "16/Nov/2023:18:15:46 +0000". Nothing for another text.
std::optional<TimeNs> read_timestamp(std::string_view text);

/// Whether a text that read_timestamp takes says neither UTC nor an offset from it.
bool is_local_time(std::string_view timestamp);

/// Of a date without a time of day, "2023-11-16".
inline constexpr std::size_t kDateSize = 10;

/// "18:15:46.68", with a zone or without.
bool is_time_of_day(std::string_view text);

/// Seconds in a unit: s, sec, second, seconds, ms, us, ns, min, minute, h, hour, day and the like, in lower
/// case; nothing for another word.
std::optional<double> unit_s_of(std::string_view word);

/// "s", "minute", or "7 s" where there is no word.
std::string unit_text(double unit_s);

/// The latest second since 1970 that is read, in 2255: in nanoseconds it fits a TimeNs.
inline constexpr double kLatestEpochS = 9e9;
/// The unit, in seconds, of a number that counts from 1970, by its size: 1e9 to 9e9 are seconds from 2001 on,
/// 1e12 to 9e12 milliseconds, and so on; nothing for others.
std::optional<double> epoch_unit_s(double value);

}  // namespace harness
