#include "workloads/catalogue/goodput_text.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <initializer_list>

#include "harness/core/input_error.h"
#include "harness/files/table_reader.h"
#include "workloads/catalogue/profile_set.h"

namespace harness {
namespace {

constexpr const char* kSlos = "goodput_slo_ms";
constexpr const char* kRates = "goodput_rps";
constexpr const char* kSource = "goodput_source";

/// The lines of a text; a key's line is as TOML counts it, from 1.
class EditedLines {
 public:
  explicit EditedLines(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      lines_.emplace_back(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    added_.resize(lines_.size() + 1);
    gone_.resize(lines_.size());
  }

  /// Removes the key on that line, with further lines of its array.
  void remove(int line) {
    std::size_t at = static_cast<std::size_t>(line) - 1;
    const bool is_array = lines_[at].find('[') != std::string::npos;
    gone_[at] = true;
    while (is_array && at + 1 < lines_.size() && lines_[at].find(']') == std::string::npos)
      gone_[++at] = true;
  }
  void add_after(int line, const std::string& text) { added_[static_cast<std::size_t>(line)] += text; }
  /// Returns the last line of the block of keys that has that line: before an empty line or a header.
  int last_of_block(int line) const {
    auto at = static_cast<std::size_t>(line);
    while (at < lines_.size()) {
      const std::size_t first = lines_[at].find_first_not_of(" \t\r");
      if (first == std::string::npos || lines_[at][first] == '[') break;
      ++at;
    }
    return static_cast<int>(at);
  }
  std::string text() const {
    std::string text = added_[0];
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (!gone_[i]) text += lines_[i] + "\n";
      text += added_[i + 1];
    }
    return text;
  }

 private:
  std::vector<std::string> lines_;
  std::vector<std::string> added_;  ///< text after each line; [i]: after line i
  std::vector<bool> gone_;
};

std::string number_text(double value) {
  std::array<char, 48> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}

template <class Value>
std::string line_of(const char* key, const std::vector<GoodputPoint>& points, Value value) {
  std::string text;
  for (const GoodputPoint& point : points) text += (text.empty() ? "" : ", ") + number_text(value(point));
  return std::string(key) + " = [" + text + "]\n";
}

void remove_keys(EditedLines& lines, const TableReader& fields, std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    if (fields.has(key)) lines.remove(fields.place(key).line);
  }
}

void set_source(EditedLines& lines, const TableReader& top, const std::string& source) {
  remove_keys(lines, top, {kSource});
  int line = 0;
  for (const char* key : {"description", "device", "source"}) {
    if (top.has(key)) line = std::max(line, top.place(key).line);
  }
  lines.add_after(line, std::string(kSource) + " = \"" + source + "\"\n");
}

bool is_as_before(const Profile& before, const Profile& after) {
  return before.model == after.model && before.device == after.device && before.source == after.source &&
         before.latency_ns == after.latency_ns && before.memory_mb == after.memory_mb &&
         before.load_ns == after.load_ns && before.exit_points == after.exit_points;
}

/// True if `text` reads back with the goodput and is otherwise as before.
bool reads_back(const std::string& file, const std::string& text, const ProfileSet& before,
                const std::map<std::string, std::vector<GoodputPoint>>& goodput) {
  try {
    const ProfileSet after = parse_profiles(file, text);
    return std::equal(before.profiles.begin(), before.profiles.end(), after.profiles.begin(),
                      after.profiles.end(), [&](const auto& old, const auto& now) {
                        const auto found = goodput.find(now.first);
                        const std::size_t points =
                            found == goodput.end() ? old.second.goodput.size() : found->second.size();
                        return is_as_before(old.second, now.second) && now.second.goodput.size() == points;
                      });
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

std::string with_goodput(const std::string& file, std::string_view text,
                         const std::map<std::string, std::vector<GoodputPoint>>& goodput,
                         const std::string& source) {
  const ProfileSet before = parse_profiles(file, text);
  const TomlValue document = parse_toml(file, text);
  const TableReader top(file, document);
  if (top.has("base"))
    throw input_error(top.place("base"), "a set made from another one",
                      "a set whose profiles are in it, so that goodput can be added");
  EditedLines lines(text);
  set_source(lines, top, source);
  for (const TableReader& fields : top.some_tables("profile")) {
    const auto found = goodput.find(fields.text("model"));
    if (found == goodput.end()) continue;
    remove_keys(lines, fields, {kSlos, kRates, kSource});
    const auto slo_ms = [](const GoodputPoint& point) { return ns_to_ms(point.slo_ns); };
    const auto rps = [](const GoodputPoint& point) { return point.rps; };
    lines.add_after(lines.last_of_block(fields.place("model").line),
                    line_of(kSlos, found->second, slo_ms) + line_of(kRates, found->second, rps));
  }
  std::string result = lines.text();
  if (!reads_back(file, result, before, goodput))
    throw input_error({file, 0, "profile"}, "profiles in one line, or keys of several",
                      "[[profile]] tables with a line for each key, so that goodput can be added");
  return result;
}

}  // namespace harness
