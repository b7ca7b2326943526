#include "harness/claims/ledger.h"

#include <algorithm>

namespace harness {
namespace {

using TomlArray = std::vector<TomlValue>;
using TomlTable = std::vector<TomlEntry>;

const std::vector<std::string> kKeys = {
    "id",         "paper",  "section", "figure",   "statement", "paper_value", "experiment", "where",
    "expression", "expect", "partly",  "for_each", "combine",   "known",       "see",        "note"};

struct CombineName {
  const char* name;
  Combine combine;
};
constexpr CombineName kCombineNames[] = {{"all", Combine::kAll},
                                         {"min", Combine::kMin},
                                         {"max", Combine::kMax},
                                         {"mean", Combine::kMean},
                                         {"share", Combine::kShare}};

const TomlValue* find(const TomlTable& table, const std::string& key) {
  for (const TomlEntry& entry : table) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

/// One [[claim]], read key by key.
class ClaimReader {
 public:
  ClaimReader(const std::string& file, const TomlValue& value, const TomlTable& table,
              const Vocabulary& vocabulary)
      : fields_(file, value), file_(file), table_(table), vocabulary_(vocabulary) {}

  Claim read() {
    fields_.require_known(kKeys);
    read_words();
    claim_.experiments = texts("experiment");
    read_where();
    claim_.expression_text = fields_.text("expression");
    claim_.expression = parse_expression(place("expression"), claim_.expression_text, vocabulary_);
    read_intervals();
    if (fields_.has("for_each")) claim_.for_each = texts("for_each");
    for (const std::string& key : claim_.for_each) require_key(place("for_each"), key);
    read_combine();
    read_known();
    return claim_;
  }

 private:
  /// Messages name the claim besides the key.
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
  }

  /// A text, or an array of texts: at least one, none twice.
  std::vector<std::string> texts(const std::string& key) const {
    const TomlValue* value = find(table_, key);
    std::vector<std::string> result;
    if (value == nullptr || std::holds_alternative<std::string>(value->data)) {
      result.push_back(fields_.text(key));
    } else {
      result = fields_.texts(key);
    }
    for (auto it = result.begin(); it != result.end(); ++it) {
      if (it->empty() || std::find(result.begin(), it, *it) != it)
        throw input_error(place(key), "\"" + *it + "\"" + (it->empty() ? "" : " twice"), "different texts");
    }
    if (result.empty()) throw input_error(place(key), "an empty array", "at least one text");
    return result;
  }

  /// Rows can be selected by columns and by parameters, which have a dot.
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
    const TomlValue* where = find(table_, "where");
    if (where == nullptr) return;
    const auto* table = std::get_if<TomlTable>(&where->data);
    if (table == nullptr)
      throw input_error(place("where"), "something else", "a table such as { pipeline = \"lv\" }");
    read_filters(*table, "");
  }

  /// `pard.lambda` arrives as a table in a table unless it was quoted.
  void read_filters(const TomlTable& table, const std::string& prefix) {
    for (const TomlEntry& entry : table) {
      const std::string key = prefix + entry.key;
      if (const auto* inner = std::get_if<TomlTable>(&entry.value.data)) {
        read_filters(*inner, key + ".");
        continue;
      }
      Filter filter;
      filter.place = {file_, entry.value.line, claim_.id + ": where." + key};
      filter.key = key;
      require_key(filter.place, key);
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
      throw input_error(filter.place, "something else", "a text, a number, true or false");
    } else if (is_comparison(*text)) {
      if (!filter.range) filter.range.emplace();
      narrow(*filter.range, filter.place, *text);
    } else {
      filter.any.push_back(field_value(*text));
    }
  }

  void read_intervals() {
    const TomlValue* expect = find(table_, "expect");
    if (expect == nullptr) throw input_error(place("expect"), "nothing", "an interval such as [1.6, 17]");
    claim_.expect = read_interval(place("expect"), *expect);
    const TomlValue* partly = find(table_, "partly");
    if (partly == nullptr) return;
    claim_.partly = read_interval(place("partly"), *partly);
    if (claim_.partly->low > claim_.expect.low || claim_.partly->high < claim_.expect.high)
      throw input_error(place("partly"), claim_.partly->text(),
                        "an interval that holds expect, " + claim_.expect.text());
  }

  void read_combine() {
    if (!fields_.has("combine")) return;
    const std::string name = fields_.text("combine");
    std::vector<std::string> names;
    for (const CombineName& known : kCombineNames) {
      names.emplace_back(known.name);
      if (name != known.name) continue;
      claim_.combine = known.combine;
      return;
    }
    throw input_error(place("combine"), "\"" + name + "\"", join_names(names));
  }

  void read_known() {
    if (!fields_.has("known")) return;
    const std::string name = fields_.text("known");
    std::vector<std::string> names;
    for (const Verdict verdict : {Verdict::kReproduced, Verdict::kPartly, Verdict::kNotReproduced}) {
      names.emplace_back(name_of(verdict));
      if (name != name_of(verdict)) continue;
      claim_.known = verdict;
      return;
    }
    throw input_error(place("known"), "\"" + name + "\"", join_names(names));
  }

  TomlFields fields_;
  const std::string& file_;
  const TomlTable& table_;
  const Vocabulary& vocabulary_;
  Claim claim_;
};

}  // namespace

const char* name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kReproduced:
      return "reproduced";
    case Verdict::kPartly:
      return "partly";
    case Verdict::kNotReproduced:
      return "not reproduced";
    default:
      return "not run";
  }
}

bool Filter::keeps(const ResultRow& row) const {
  const FieldValue* value = row.find(key);
  if (value == nullptr) return true;
  if (range) return value->number && range->contains(*value->number);
  return std::any_of(any.begin(), any.end(),
                     [&](const FieldValue& allowed) { return same_value(*value, allowed); });
}

std::vector<Claim> parse_ledger(const std::string& file, std::string_view text,
                                const Vocabulary& vocabulary) {
  const TomlValue document = parse_toml(file, text);
  TomlFields(file, document).require_known({"claim"});
  const auto* claims = find(std::get<TomlTable>(document.data), "claim");
  const auto* items = claims == nullptr ? nullptr : std::get_if<TomlArray>(&claims->data);
  if (items == nullptr) throw input_error({file, 0, "claim"}, "nothing", "at least one [[claim]]");
  std::vector<Claim> result;
  for (const TomlValue& item : *items) {
    const auto* table = std::get_if<TomlTable>(&item.data);
    if (table == nullptr) throw input_error({file, item.line, "claim"}, "something else", "[[claim]] tables");
    Claim claim = ClaimReader(file, item, *table, vocabulary).read();
    for (const Claim& other : result) {
      if (other.id != claim.id) continue;
      throw input_error({file, claim.place.line, "id"}, "\"" + claim.id + "\" again",
                        "an id of its own (line " + std::to_string(other.place.line) + " has this one)");
    }
    result.push_back(std::move(claim));
  }
  return result;
}

}  // namespace harness
