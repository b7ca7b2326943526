#include "harness/fit/fit_plan.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <set>

#include "harness/core/wording.h"
#include "harness/files/table_reader.h"

namespace harness {
namespace {

constexpr const char* kNameCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";

constexpr int kMaxPoints = 100'000;

constexpr std::array<const char*, kFitPurposes> kPurposes = {"design", "refine", "confirm"};

bool is_file_name(const std::string& name) {
  return name.find_first_not_of(kNameCharacters) == std::string::npos && !name.starts_with('.');
}

std::string beside(const std::string& file, const std::string& path) {
  const std::filesystem::path given(path);
  const std::filesystem::path folder = std::filesystem::path(file).parent_path();
  return (given.is_absolute() ? given : folder / given).lexically_normal().string();
}

std::map<std::string, std::string> read_pairs(const TableReader& table, const std::string& key) {
  std::map<std::string, std::string> pairs;
  if (!table.has(key)) return pairs;
  const TableReader inner = table.table(key);
  for (const TomlEntry& entry : inner.entries()) {
    ParamValue value;
    if (!to_param_value(entry.value, value))
      throw input_error(inner.place(entry.key), describe(entry.value), "a value");
    pairs[entry.key] = text_of(value);
  }
  return pairs;
}

std::vector<std::string> texts_or_none(const TableReader& table, const std::string& key) {
  return table.has(key) ? table.texts(key) : std::vector<std::string>{};
}

/// Reads a [[knob.value]]: several keys under a name.
KnobValue read_value(const TableReader& table) {
  table.require_known({"name", "set"});
  KnobValue value;
  value.name = table.text("name");
  if (table.has("set")) {
    for (const Assignment& assignment : table.table("set").assignments(""))
      value.set.emplace_back(assignment.key, assignment.value);
  }
  return value;
}

void read_values(const TableReader& table, Knob& knob) {
  if (!table.has("key")) {
    for (const TableReader& value : table.some_tables("value")) knob.values.push_back(read_value(value));
    return;
  }
  const std::string key = table.text("key");
  knob.is_scale = true;
  double before = -std::numeric_limits<double>::infinity();
  for (const ParamValue& value : table.value_axis("values")) {
    knob.values.push_back({text_of(value), {{key, value}}});
    const auto* number = std::get_if<double>(&value);
    knob.is_scale = knob.is_scale && number != nullptr && *number > before;
    if (number != nullptr) before = *number;
  }
}

Knob read_knob(const TableReader& table, const std::vector<Knob>& before) {
  table.require_known({"name", "key", "values", "value", "default", "text", "when"});
  Knob knob;
  knob.place = table.place("name");
  knob.name = table.text("name");
  knob.text = table.text("text");
  read_values(table, knob);
  if (knob.values.size() < 2) throw input_error(knob.place, "one value", "at least two values");
  const std::string standard = text_of(table.value("default", "one of the values"));
  const auto found = std::ranges::find(knob.values, standard, &KnobValue::name);
  if (found == knob.values.end()) {
    std::vector<std::string> names;
    for (const KnobValue& value : knob.values) names.push_back(value.name);
    throw input_error(table.place("default"), standard, join_names(names));
  }
  knob.standard = static_cast<std::size_t>(found - knob.values.begin());
  knob.when = read_pairs(table, "when");
  for (const Knob& other : before) {
    if (other.name == knob.name)
      throw input_error(knob.place, "\"" + knob.name + "\" twice", "a name of its own for each");
  }
  return knob;
}

/// Throws InputError for a key that a base keeps and no knob sets.
void check_keeps(const FitPlan& plan, const FitBase& base) {
  std::set<std::string> keys;
  for (const Knob& knob : plan.knobs) {
    for (const KnobValue& value : knob.values) {
      for (const auto& [key, given] : value.set) keys.insert(key);
    }
  }
  for (const std::string& key : base.keeps) {
    if (keys.count(key) == 0)
      throw_unknown({base.place.file, base.place.line, "base.keeps"}, "key of a knob", key,
                    {keys.begin(), keys.end()});
  }
}

/// Throws InputError if two knobs set one key under the same conditions: the later one would win without a
/// word.
void check_keys(const FitPlan& plan) {
  std::map<std::pair<std::string, std::map<std::string, std::string>>, const Knob*> setters;
  for (const Knob& knob : plan.knobs) {
    for (const KnobValue& value : knob.values) {
      for (const auto& [key, given] : value.set) {
        const Knob* setter = setters.emplace(std::pair(key, knob.when), &knob).first->second;
        if (setter != &knob)
          throw input_error(knob.place, key + ", which knob " + setter->name + " sets too",
                            "keys of its own for each knob, or other `when`");
      }
    }
  }
}

/// Throws InputError unless the conditions name knobs and their values.
void check_when(const FitPlan& plan, const std::map<std::string, std::string>& when,
                const InputPlace& place) {
  for (const auto& [name, value] : when) {
    const auto knob = std::ranges::find(plan.knobs, name, &Knob::name);
    if (knob == plan.knobs.end()) throw input_error(place, "when " + name, "a [[knob]]");
    if (std::ranges::find(knob->values, value, &KnobValue::name) == knob->values.end())
      throw input_error(place, "when " + name + " = " + value, "a value of that [[knob]]");
  }
}

FitBase read_base(const TableReader& table, const std::string& file) {
  table.require_known(
      {"experiment", "as", "systems", "set", "refine", "confirm", "keeps", "when", "only", "best"});
  FitBase base;
  base.place = table.place("experiment");
  base.file = beside(file, table.text("experiment"));
  base.as = table.text_or("as", std::filesystem::path(base.file).stem().string());
  base.systems = texts_or_none(table, "systems");
  base.set[0] = texts_or_none(table, "set");
  base.set[1] = table.has("refine") ? table.texts("refine") : base.set[0];
  base.set[2] = table.has("confirm") ? table.texts("confirm") : base.set[1];
  base.keeps = texts_or_none(table, "keeps");
  base.when = read_pairs(table, "when");
  if (table.has("only")) {
    base.runs.fill(false);
    for (const std::string& name : table.texts("only")) {
      const auto* const found = std::ranges::find(kPurposes, name);
      if (found == kPurposes.end())
        throw input_error(table.place("only"), name, join_names({kPurposes.begin(), kPurposes.end()}));
      base.runs[static_cast<std::size_t>(found - kPurposes.begin())] = true;
    }
  }
  if (table.has("best")) {
    const TableReader best = table.table("best");
    best.require_known({"metric", "as"});
    base.best_metric = best.text("metric");
    base.best_as = best.text("as");
  }
  return base;
}

void read_search(const TableReader& document, FitPlan& plan) {
  const TableReader search = document.table("search");
  search.require_known({"design", "points", "best", "moves", "round", "confirmed", "seed", "set"});
  const std::string design = search.text_or("design", "filling");
  if (design != "filling" && design != "steps")
    throw input_error(search.place("design"), design, "filling or steps");
  plan.only_steps = design == "steps";
  const auto count = [&](const char* key, int low) {
    if (!plan.only_steps) return static_cast<std::size_t>(search.integer(key, low, kMaxPoints));
    if (search.has(key)) throw input_error(search.place(key), "a key of the search", "none beside steps");
    return std::size_t{0};
  };
  plan.points = count("points", 2);
  plan.best = count("best", 1);
  plan.moves = count("moves", 0);
  plan.round = count("round", 1);
  plan.seed = static_cast<std::uint64_t>(search.number_or("seed", 0, 1e9, 1));
  if (search.has("confirmed"))
    plan.confirmed = static_cast<std::size_t>(search.integer("confirmed", 1, kMaxPoints));
  plan.worlds.push_back({FitPurpose::kDesign, "design", texts_or_none(search, "set"), search.place("set")});
  if (document.has("refine")) {
    const TableReader refine = document.table("refine");
    refine.require_known({"set"});
    if (plan.only_steps) throw input_error(document.place("refine"), "a table", "none beside steps");
    plan.worlds.push_back({FitPurpose::kRefine, "refine", texts_or_none(refine, "set"), refine.place("set")});
  }
  std::set<std::string> names;
  for (const TableReader& confirm : document.tables("confirm")) {
    confirm.require_known({"name", "set"});
    const std::string name = confirm.text("name");
    if (!names.insert(name).second || !is_file_name(name))
      throw input_error(confirm.place("name"), name, "a name of its own, of a-z, A-Z, 0-9, '.', '-' and '_'");
    plan.worlds.push_back(
        {FitPurpose::kConfirm, "confirm-" + name, texts_or_none(confirm, "set"), confirm.place("set")});
  }
}

}  // namespace

FitPlan parse_fit(const std::string& file, std::string_view text) {
  const TomlValue tree = parse_toml(file, text);
  const TableReader document(file, tree, "");
  document.require_known(
      {"name", "claims_file", "claims", "search", "refine", "confirm", "knob", "base", "headline"});
  FitPlan plan;
  plan.file = file;
  plan.text = std::string(text);
  plan.name = document.text_or("name", std::filesystem::path(file).stem().string());
  if (!is_file_name(plan.name))
    throw input_error(document.has("name") ? document.place("name") : InputPlace{file, 0, "name"}, plan.name,
                      "a name of files: a-z, A-Z, 0-9, '.', '-' and '_'");
  plan.claims_file = beside(file, document.text("claims_file"));
  plan.claims_file_place = document.place("claims_file");
  plan.claims = document.texts("claims");
  plan.claims_place = document.place("claims");
  read_search(document, plan);
  for (const TableReader& table : document.some_tables("knob"))
    plan.knobs.push_back(read_knob(table, plan.knobs));
  for (const TableReader& table : document.some_tables("base")) plan.bases.push_back(read_base(table, file));
  for (const TableReader& table : document.tables("headline")) {
    table.require_known({"name", "claim"});
    plan.headlines.push_back({table.text("name"), table.text("claim"), table.place("claim")});
  }
  check_keys(plan);
  for (const Knob& knob : plan.knobs) check_when(plan, knob.when, knob.place);
  for (const FitBase& base : plan.bases) {
    check_when(plan, base.when, base.place);
    check_keeps(plan, base);
  }
  return plan;
}

std::size_t last_of_search(const FitPlan& plan) {
  return plan.worlds.size() > 1 && plan.worlds[1].purpose == FitPurpose::kRefine ? 1 : 0;
}

FitPoint standard_point(const FitPlan& plan) {
  FitPoint point;
  for (const Knob& knob : plan.knobs) point.push_back(knob.standard);
  return point;
}

bool holds(const FitPlan& plan, const std::map<std::string, std::string>& when, const FitPoint& point) {
  return std::ranges::all_of(when, [&](const auto& condition) {
    const auto knob = std::ranges::find(plan.knobs, condition.first, &Knob::name);
    return knob->values[point[static_cast<std::size_t>(knob - plan.knobs.begin())]].name == condition.second;
  });
}

bool is_active(const FitPlan& plan, std::size_t knob, const FitPoint& point) {
  return holds(plan, plan.knobs[knob].when, point);
}

}  // namespace harness
