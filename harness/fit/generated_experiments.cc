#include "harness/fit/generated_experiments.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include "harness/core/input_file.h"
#include "harness/core/wording.h"
#include "harness/experiment/reading/config_tree.h"
#include "harness/experiment/reading/experiment_spec.h"
#include "harness/files/file_bytes.h"
#include "harness/files/table_reader.h"

namespace harness {
namespace {

constexpr const char* kTrace = "trace.";
constexpr const char* kEveryTrace = "trace.*.";

std::vector<std::string> traces_of(const FitBase& base, const TomlValue& document) {
  return names_of(TableReader(base.file, document).table("workload").text_axis("traces"));
}

/// Returns the base's file, changed as the world and the base say, but for the world's keys of traces.
TomlValue document_of(const FitBase& base, const FitWorld& world) {
  TomlValue document = parse_toml(base.file, read_file(base.file, kLargestText, base.place));
  const std::vector<std::string>& own = base.set[static_cast<std::size_t>(world.purpose)];
  for (const std::string& text : world.set) {
    if (!text.starts_with(kTrace)) apply_override(document, text);
  }
  for (const std::string& text : own) apply_override(document, text);
  return document;
}

/// Returns true unless the key is of a trace, trace.NAME.KEY, that is not listed.
bool is_replayed(const std::string& key, const std::vector<std::string>& traces) {
  if (!key.starts_with(kTrace)) return true;
  const std::string rest = key.substr(std::string(kTrace).size());
  return std::ranges::find(traces, rest.substr(0, rest.find('.'))) != traces.end();
}

void keep_systems(TomlValue& document, const FitBase& base) {
  if (base.systems.empty()) return;
  TomlArray* systems = tables_of(document, "system");
  if (systems == nullptr) throw input_error(base.place, base.file + " without [[system]]", "an experiment");
  std::set<std::string> found;
  std::erase_if(*systems, [&](const TomlValue& system) {
    const std::string variant = text_member(system, "variant");
    const std::string series = text_member(system, "name") + (variant.empty() ? "" : "/" + variant);
    found.insert(series);
    return std::ranges::find(base.systems, series) == base.systems.end();
  });
  for (const std::string& series : base.systems) {
    if (found.count(series) == 0)
      throw_unknown(base.place, "series of " + base.file, series, {found.begin(), found.end()});
  }
}

/// Returns what the point sets in a base with these traces; if two knobs set a key, the later one counts.
std::map<std::string, ParamValue> values_at(const FitPlan& plan, const FitBase& base, const FitPoint& point,
                                            const std::vector<std::string>& traces) {
  std::map<std::string, ParamValue> values;
  for (std::size_t knob = 0; knob < plan.knobs.size(); ++knob) {
    if (!is_active(plan, knob, point)) continue;
    for (const auto& [key, value] : plan.knobs[knob].values[point[knob]].set) {
      if (std::ranges::find(base.keeps, key) != base.keeps.end()) continue;
      if (!key.starts_with(kEveryTrace)) {
        if (is_replayed(key, traces)) values[key] = value;
        continue;
      }
      for (const std::string& trace : traces)
        values["trace." + toml_key(trace) + "." + key.substr(std::string(kEveryTrace).size())] = value;
    }
  }
  return values;
}

void drop(TomlValue& document, const std::string& key) {
  std::erase_if(std::get<TomlTable>(document.data), [&](const TomlEntry& entry) { return entry.key == key; });
}

/// Removes the base's own settings, and its sweeps of keys that the points set.
void drop_axes(TomlValue& document, const std::set<std::string>& keys) {
  drop(document, kSettingKey);
  TomlArray* sweeps = tables_of(document, "sweep");
  if (sweeps == nullptr) return;
  std::erase_if(*sweeps, [&](const TomlValue& sweep) { return keys.count(text_member(sweep, "key")) > 0; });
  if (sweeps->empty()) drop(document, "sweep");
}

}  // namespace

std::string setting_name(std::size_t number) {
  char name[32];
  std::snprintf(name, sizeof name, "p%04zu", number);
  return name;
}

std::string experiment_text(const FitPlan& plan, const FitBase& base, std::span<const NumberedPoint> points,
                            const FitWorld& world) {
  if (!base.runs[static_cast<std::size_t>(world.purpose)]) return "";
  TomlValue document = document_of(base, world);
  const std::vector<std::string> traces = traces_of(base, document);
  for (const std::string& text : world.set) {
    if (text.starts_with(kTrace) && is_replayed(text, traces)) apply_override(document, text);
  }
  drop_unlisted(document);
  keep_systems(document, base);
  std::string settings;
  std::set<std::string> keys;
  for (const NumberedPoint& point : points) {
    if (!holds(plan, base.when, point.point)) continue;
    settings += "\n[[setting]]\nname = \"" + setting_name(point.number) + "\"\n[setting.set]\n";
    for (const auto& [key, value] : values_at(plan, base, point.point, traces)) {
      keys.insert(key);
      settings += key + " = " + toml_text(value) + "\n";
    }
  }
  if (settings.empty()) return "";
  drop_axes(document, keys);
  return to_toml(document) + settings;
}

void check_experiments(const FitPlan& plan) {
  for (const FitBase& base : plan.bases) const InputFile opened(base.file, "an experiment file", base.place);
  for (const Knob& knob : plan.knobs) {
    for (const KnobValue& value : knob.values) {
      for (const auto& [key, given] : value.set) {
        if (key == "workload.load") continue;
        Settings settings;
        settings.trace.name = "any";
        const bool every = key.starts_with(kEveryTrace);
        const std::string name = every ? "trace.any." + key.substr(std::string(kEveryTrace).size()) : key;
        assign(settings, {name, given, {knob.place.file, knob.place.line, key}});
      }
    }
  }
}

void check_worlds(const FitPlan& plan) {
  std::vector<std::string> of_all;
  for (const FitWorld& world : plan.worlds) {
    std::vector<std::string> traces;
    bool any = false;
    for (const FitBase& base : plan.bases) {
      if (!base.runs[static_cast<std::size_t>(world.purpose)]) continue;
      any = true;
      for (const std::string& name : traces_of(base, document_of(base, world))) traces.push_back(name);
    }
    if (!any) throw input_error(world.place, "no [[base]] that runs in " + world.name, "at least one");
    for (const std::string& text : world.set) {
      if (!is_replayed(text, traces))
        throw input_error(world.place, text, "keys of a trace that a base replays: " + join_names(traces));
    }
    of_all.insert(of_all.end(), traces.begin(), traces.end());
  }
  for (const Knob& knob : plan.knobs) {
    for (const KnobValue& value : knob.values) {
      for (const auto& [key, given] : value.set) {
        if (!key.starts_with(kEveryTrace) && !is_replayed(key, of_all))
          throw input_error(knob.place, key, "keys of a trace that a base replays");
      }
    }
  }
}

}  // namespace harness
