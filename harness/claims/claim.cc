#include "harness/claims/claim.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "harness/core/wording.h"
#include "harness/files/table_reader.h"

namespace harness {
namespace {

const std::vector<std::string> kKeys = {
    "id",          "kind",       "chosen_after", "paper",      "section", "figure", "statement",
    "paper_value", "experiment", "where",        "expression", "expect",  "about",  "partly",
    "equal",       "for_each",   "combine",      "known",      "see",     "note",   "headline"};

constexpr std::pair<const char*, Combine> kCombineNames[] = {{"all", Combine::kAll},
                                                             {"min", Combine::kMin},
                                                             {"max", Combine::kMax},
                                                             {"mean", Combine::kMean},
                                                             {"share", Combine::kShare}};
constexpr std::pair<const char*, Verdict> kVerdictNames[] = {{"reproduced", Verdict::kReproduced},
                                                             {"partly", Verdict::kPartly},
                                                             {"undecided", Verdict::kUndecided},
                                                             {"not reproduced", Verdict::kNotReproduced},
                                                             {"not run", Verdict::kNotRun}};
constexpr std::pair<const char*, Kind> kKindNames[] = {
    {"paper", Kind::kPaper}, {"reading", Kind::kReading}, {"ours", Kind::kOurs}};

/// Reads one [[claim]] key by key.
class ClaimReader {
 public:
  ClaimReader(TableReader fields, const Vocabulary& vocabulary)
      : fields_(std::move(fields)), vocabulary_(vocabulary) {}

  Claim read() {
    fields_.require_known(kKeys);
    read_words();
    read_named("kind", kKindNames, claim_.kind);
    claim_.chosen_after = fields_.flag_or("chosen_after", false);
    claim_.experiments = names("experiment");
    if (claim_.experiments.empty()) throw input_error(place("experiment"), "nothing", "one or more names");
    read_where();
    claim_.expression_text = fields_.text("expression");
    claim_.expression = parse_expression(place("expression"), claim_.expression_text, vocabulary_);
    read_intervals();
    claim_.for_each = names("for_each");
    for (const std::string& key : claim_.for_each) require_key(place("for_each"), key);
    if (fields_.has("combine")) read_named("combine", kCombineNames, claim_.combine);
    if (fields_.has("known")) read_named("known", kVerdictNames, claim_.known);
    return claim_;
  }

 private:
  /// Returns the place of a key for messages, which name the claim beside the key.
  InputPlace place(const std::string& key) const {
    InputPlace place = fields_.place(key);
    place.key = claim_.id.empty() ? key : claim_.id + ": " + key;
    return place;
  }

  void read_words() {
    claim_.id = fields_.text("id");
    const auto plain = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
    };
    if (!std::all_of(claim_.id.begin(), claim_.id.end(), plain))
      throw input_error(fields_.place("id"), "\"" + claim_.id + "\"", "a-z, 0-9, '.', '-' and '_'");
    claim_.place = place("id");
    claim_.paper = fields_.text("paper");
    claim_.section = fields_.text("section");
    claim_.figure = fields_.text_or("figure", "");
    claim_.statement = fields_.text("statement");
    claim_.paper_value = fields_.text("paper_value");
    claim_.see = fields_.text_or("see", "");
    claim_.note = fields_.text_or("note", "");
    fields_.text_or("headline", "");  // for the pages
  }

  /// Reads one name or several.
  std::vector<std::string> names(const std::string& key) const {
    std::vector<std::string> result;
    for (const NamedAt& name : fields_.text_axis(key)) result.push_back(name.name);
    return result;
  }

  /// Throws unless rows can be selected by the key: by a column, or by a parameter, which has a dot.
  void require_key(const InputPlace& at, const std::string& key) const {
    const std::vector<std::string> columns = selecting_columns();
    if (key.find('.') != std::string::npos || std::find(columns.begin(), columns.end(), key) != columns.end())
      return;
    const std::string nearest = nearest_name(key, columns);
    throw input_error(at, "an unknown column '" + key + "'",
                      "a column of /summary, or a parameter such as pard.lambda" +
                          (nearest.empty() ? "" : " (did you mean '" + nearest + "'?)"));
  }

  void read_where() {
    if (fields_.has("where")) read_filters(fields_.table("where").entries(), "");
  }

  /// Reads the filters of `where`. An unquoted `pard.lambda` is a table within a table.
  void read_filters(const TomlTable& table, const std::string& prefix) {
    for (const TomlEntry& entry : table) {
      const std::string key = prefix + entry.key;
      if (const auto* inner = std::get_if<TomlTable>(&entry.value.data)) {
        read_filters(*inner, key + ".");
        continue;
      }
      Filter filter;
      filter.place = {fields_.file(), entry.value.line, claim_.id + ": where." + key};
      filter.key = key;
      require_key(filter.place, filter.key);
      const auto* items = std::get_if<TomlArray>(&entry.value.data);
      if (items == nullptr) {
        add_condition(filter, entry.value);
      } else {
        for (const TomlValue& item : *items) add_condition(filter, item);
      }
      if (filter.any.empty() != filter.range.has_value())
        throw input_error(filter.place, "nothing, or values and comparisons",
                          "values, or comparisons such as \"> 1\"");
      claim_.where.push_back(filter);
    }
  }

  static void add_condition(Filter& filter, const TomlValue& value) {
    if (const auto* number = std::get_if<double>(&value.data)) {
      filter.any.push_back(field_value(*number));
    } else if (const auto* flag = std::get_if<bool>(&value.data)) {
      filter.any.push_back({*flag ? "true" : "false", std::nullopt});
    } else if (const auto* text = std::get_if<std::string>(&value.data); text == nullptr) {
      throw input_error(filter.place, describe(value), "a string, a number, true or false");
    } else if (is_comparison(*text)) {
      if (!filter.range) filter.range.emplace();
      narrow(*filter.range, filter.place, *text);
    } else {
      filter.any.push_back(field_value(*text));
    }
  }

  void read_intervals() {
    const TomlValue* expect = fields_.find("expect");
    const TomlValue* about = fields_.find("about");
    if (expect == nullptr && about == nullptr)
      throw input_error(place("expect"), "nothing", "an interval such as [1.6, 17], or about = FIGURE");
    if (expect != nullptr && about != nullptr)
      throw input_error(place("about"), "expect as well", "expect or about");
    claim_.expect =
        about == nullptr ? read_interval(place("expect"), *expect) : read_about(place("about"), *about);
    read_equal();
    const TomlValue* partly = fields_.find("partly");
    if (partly == nullptr) return;
    claim_.partly = read_interval(place("partly"), *partly);
    if (claim_.partly->low > claim_.expect.low || claim_.partly->high < claim_.expect.high)
      throw input_error(place("partly"), claim_.partly->text(),
                        "an interval that holds expect, " + claim_.expect.text());
  }

  void read_equal() {
    if (!fields_.has("equal")) return;
    claim_.equal = fields_.number("equal", 0, 1e9);
    if (std::isinf(claim_.expect.low) == std::isinf(claim_.expect.high))
      throw input_error(place("equal"), "beside the interval " + claim_.expect.text(),
                        "an interval with one end");
  }

  /// Sets the value to the one whose name the key has.
  template <class Value, std::size_t N>
  void read_named(const char* key, const std::pair<const char*, Value> (&known)[N], Value& value) const {
    const std::string text = fields_.text(key);
    std::vector<std::string> names;
    for (const auto& [name, named] : known) {
      names.emplace_back(name);
      if (text != name) continue;
      value = named;
      return;
    }
    throw input_error(place(key), "\"" + text + "\"", join_names(names));
  }

  TableReader fields_;
  const Vocabulary& vocabulary_;
  Claim claim_;
};

}  // namespace

const char* name_of(Verdict verdict) {
  for (const auto& [name, named] : kVerdictNames) {
    if (named == verdict) return name;
  }
  return "";
}

const char* name_of(Kind kind) {
  for (const auto& [name, named] : kKindNames) {
    if (named == kind) return name;
  }
  return "";
}

bool Filter::keeps(const ResultRow& row) const {
  const FieldValue* value = row.find(key);
  if (value == nullptr) return true;
  if (range) return value->number && range->contains(*value->number);
  return std::any_of(any.begin(), any.end(),
                     [&](const FieldValue& allowed) { return same_value(*value, allowed); });
}

std::vector<Claim> parse_claims_file(const std::string& file, std::string_view text,
                                     const Vocabulary& vocabulary) {
  const TomlValue document = parse_toml(file, text);
  const TableReader top(file, document);
  top.require_known({"claim"});
  std::vector<Claim> result;
  std::map<std::string, int> lines;  // line of each id
  for (const TableReader& fields : top.some_tables("claim")) {
    Claim claim = ClaimReader(fields, vocabulary).read();
    const auto [other, is_new] = lines.emplace(claim.id, claim.place.line);
    if (!is_new) {
      throw input_error({file, claim.place.line, "id"}, "\"" + claim.id + "\" again",
                        "an id of its own (line " + std::to_string(other->second) + " has this one)");
    }
    result.push_back(std::move(claim));
  }
  return result;
}

}  // namespace harness
