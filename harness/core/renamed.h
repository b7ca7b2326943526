// Names that were others in earlier versions. Results files, experiments and commands with the old names
// still work; docs/terms.md says why each has changed.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace harness {

struct Renamed {
  std::string_view before;
  std::string_view now;
};

/// Columns of results files, in all their tables.
std::span<const Renamed> renamed_columns();
/// Keys of TOML files, dotted, such as "live.schedule_lag_limit_ms".
std::span<const Renamed> renamed_keys();
/// Values of keys: "serving.dispatch=least_outstanding".
std::span<const Renamed> renamed_values();

/// Today's name; `name` itself where it has always been so called.
std::string name_now(std::span<const Renamed> list, std::string_view name);
/// "KEY=VALUE" with the names that both have today.
std::string setting_now(std::string_view key, std::string_view value);
/// What it was called before; "" where it has always been so called.
std::string name_before(std::span<const Renamed> list, std::string_view name);

}  // namespace harness
