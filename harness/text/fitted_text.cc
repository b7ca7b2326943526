#include "harness/text/fitted_text.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/core/printable.h"

namespace harness {
namespace {

constexpr std::size_t kNarrowest = 12;  // width to which a column's texts are cut at most
constexpr std::string_view kCut = "...";

/// Returns the length of the longest line of aligned_text().
std::size_t width_of(const TextTable& table) {
  const std::string text = aligned_text(table);
  std::size_t widest = 0;
  for (std::size_t from = 0; from < text.size();) {
    const std::size_t to = text.find('\n', from);
    widest = std::max(widest, to - from);
    from = to + 1;
  }
  return widest;
}

std::size_t width_of(const TextTable& table, std::size_t column) {
  std::size_t widest = table.columns[column].heading.size();
  for (const auto& row : table.rows) widest = std::max(widest, row[column].shown.size());
  return widest;
}

/// Returns at most `width` bytes of the text; no character is cut in two.
std::string cut_text(const std::string& text, std::size_t width) {
  if (text.size() <= width) return text;
  std::size_t end = width - std::min(width, kCut.size());
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  return text.substr(0, end) + std::string(kCut);
}

/// Returns `head` and the texts after it, with commas between them, in lines of at most `width`.
std::string filled(const std::string& head, const std::vector<std::string>& texts, std::size_t width) {
  constexpr std::size_t kBeside = 3;  // the indent of a line and its comma
  std::string out;
  std::string line = head;
  for (const std::string& text : texts) {
    const std::string word = cut_text(printable(text), width - std::min(width, kBeside));
    const bool is_first = &text == texts.data();
    if (line.size() + word.size() + kBeside > width) {
      out += line + (is_first ? "\n" : ",\n");
      line = "  " + word;
    } else {
      line += (is_first ? " " : ", ") + word;
    }
  }
  return out + line + "\n";
}

bool is_shown(const TextTable& table, std::size_t column) { return !table.columns[column].heading.empty(); }

bool is_constant(const TextTable& table, std::size_t column) {
  return std::all_of(table.rows.begin(), table.rows.end(), [&](const std::vector<TextCell>& row) {
    return row[column].shown == table.rows.front()[column].shown;
  });
}

/// Removes the columns with the same value in every row, but keeps one column if all are such. Returns "NAME
/// VALUE" for each.
std::vector<std::string> take_constant(TextTable& table) {
  std::vector<std::string> taken;
  if (table.rows.size() < 2) return taken;
  std::size_t left = 0;
  for (std::size_t i = 0; i < table.columns.size(); ++i) left += is_shown(table, i) ? 1 : 0;
  for (std::size_t i = 0; i < table.columns.size() && left > 1; ++i) {
    if (!is_shown(table, i) || !is_constant(table, i)) continue;
    const std::string& value = table.rows.front()[i].shown;
    taken.push_back(table.columns[i].heading + " " + (value.empty() ? "-" : value));
    table.columns[i].heading.clear();
    --left;
  }
  return taken;
}

/// Returns the widest column whose texts can be cut, or the number of columns if there is no such column.
std::size_t widest_text(const TextTable& table) {
  std::size_t found = table.columns.size();
  std::size_t widest = 0;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (!is_shown(table, i) || table.rows.front()[i].is_number) continue;
    const std::size_t width = width_of(table, i);
    if (width <= std::max({widest, kNarrowest, table.columns[i].heading.size()})) continue;
    widest = width;
    found = i;
  }
  return found;
}

/// Cuts the texts of the widest columns until the table fits or no text can be cut. Returns these columns'
/// headings.
std::vector<std::string> cut_texts(TextTable& table, std::size_t width) {
  std::vector<std::string> cut;
  for (std::size_t wide = width_of(table); wide > width; wide = width_of(table)) {
    const std::size_t column = widest_text(table);
    if (column == table.columns.size()) break;
    const std::string& heading = table.columns[column].heading;
    const std::size_t now = width_of(table, column);
    const std::size_t narrowest = std::max(kNarrowest, heading.size());
    const std::size_t wanted = std::max(narrowest, now - std::min(now, wide - width));
    for (auto& row : table.rows) row[column].shown = cut_text(row[column].shown, wanted);
    cut.push_back(heading);
    if (width_of(table, column) >= now) break;
  }
  return cut;
}

/// Leaves out the last columns until the table fits. Returns their headings, in their order.
std::vector<std::string> leave_out(TextTable& table, std::size_t width) {
  std::vector<std::string> out;
  for (std::size_t i = table.columns.size(); i-- > 1 && width_of(table) > width;) {
    if (is_shown(table, i)) out.insert(out.begin(), std::exchange(table.columns[i].heading, ""));
  }
  return out;
}

}  // namespace

std::string fitted_text(const TextTable& table, std::size_t width, const std::string& how_to_see) {
  if (width == 0 || table.rows.empty() || width_of(table) <= width) return aligned_text(table);
  TextTable fitted = table;
  const std::vector<std::string> constant = take_constant(fitted);
  std::vector<std::string> cut = cut_texts(fitted, width);
  const std::vector<std::string> out = leave_out(fitted, width);
  std::erase_if(
      cut, [&out](const std::string& one) { return std::find(out.begin(), out.end(), one) != out.end(); });
  std::string text = constant.empty() ? "" : filled("every row:", constant, width);
  text += aligned_text(fitted);
  if (!cut.empty()) text += filled("cut:", cut, width);
  if (!out.empty()) text += filled("left out:", out, width);
  return cut.empty() && out.empty() ? text : text + how_to_see + "\n";
}

}  // namespace harness
