// Names that were different in earlier versions. Results files, experiments and commands with the old names
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

/// Returns the renamed columns of results files, in all their tables.
std::span<const Renamed> renamed_columns();
/// Returns the renamed keys of TOML files, dotted, such as "live.schedule_lag_limit_ms".
std::span<const Renamed> renamed_keys();
/// Returns the renamed values of keys, such as "serving.dispatch=least_outstanding".
std::span<const Renamed> renamed_values();

/// Returns today's name, or `name` itself if it has always been so called.
std::string name_now(std::span<const Renamed> list, std::string_view name);
/// Returns "KEY=VALUE" with the names that both have today.
std::string setting_now(std::string_view key, std::string_view value);
/// Returns the name before today's; "" if it has always been so called.
std::string name_before(std::span<const Renamed> list, std::string_view name);

}  // namespace harness
