#include "harness/claims/claims_report.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "harness/core/error.h"
#include "harness/record/json_text.h"
#include "harness/record/junit_text.h"

namespace harness {
namespace {

constexpr std::size_t kColumns = 6;
constexpr std::array<const char*, kColumns> kHeader = {"id", "section", "claim", "paper", "ours", "verdict"};
constexpr std::array<std::size_t, kColumns> kWidest = {40, 14, 46, 26, 32, 32};

std::string short_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

std::string with_spread(double value, double half_width) {
  return short_text(value) + (std::isnan(half_width) ? "" : " +- " + short_text(half_width));
}

/// "1.9 +- 0.1 (0.8 .. 5.6; 11 of 12 hold)".
std::string ours(const Judgement& judgement) {
  if (judgement.verdict == Verdict::kNotRun) return "-";
  const std::vector<GroupResult>& groups = judgement.groups;
  std::string text = with_spread(judgement.value, judgement.half_width);
  if (groups.size() == 1) return text;
  const auto less = [](const GroupResult& a, const GroupResult& b) { return a.mean < b.mean; };
  const auto [least, most] = std::minmax_element(groups.begin(), groups.end(), less);
  text += " (" + short_text(least->mean) + " .. " + short_text(most->mean);
  if (judgement.claim->combine == Combine::kAll)
    text += "; " + std::to_string(judgement.holding) + " of " + std::to_string(groups.size()) + " hold";
  return text + ")";
}

std::string verdict_text(const Judgement& judgement) {
  std::string text = name_of(judgement.verdict);
  if (judgement.noisy > 0) text += ", within noise";
  if (judgement.worse()) return text + ", WORSE than known (" + name_of(judgement.claim->known) + ")";
  const bool better = judgement.verdict > judgement.claim->known;
  if (better) return text + ", better than known (" + name_of(judgement.claim->known) + ")";
  return text + (judgement.verdict < Verdict::kReproduced && !judgement.claim->see.empty()
                     ? ", see " + judgement.claim->see
                     : "");
}

/// Broken at spaces into lines of at most `width`, or of one word that is longer.
std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  std::vector<std::string> lines(1);
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find_first_of(" \n", begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    begin = end + 1;
    if (word.empty()) continue;
    std::string& line = lines.back();
    if (!line.empty() && line.size() + 1 + word.size() > width) {
      lines.push_back(word);
    } else {
      line += (line.empty() ? "" : " ") + word;
    }
  }
  return lines;
}

using Cells = std::array<std::vector<std::string>, kColumns>;

Cells cells_of(const Judgement& judgement) {
  const Claim& claim = *judgement.claim;
  const std::string section = claim.section + (claim.figure.empty() ? "" : ", " + claim.figure);
  const std::array<std::string, kColumns> texts = {
      claim.id, section, claim.statement, claim.paper_value, ours(judgement), verdict_text(judgement)};
  Cells cells;
  for (std::size_t i = 0; i < kColumns; ++i) cells[i] = wrapped(texts[i], kWidest[i]);
  return cells;
}

void append_row(std::string& out, const Cells& cells, const std::array<std::size_t, kColumns>& widths) {
  std::size_t height = 0;
  for (const auto& lines : cells) height = std::max(height, lines.size());
  for (std::size_t y = 0; y < height; ++y) {
    std::string line;
    for (std::size_t i = 0; i < kColumns; ++i) {
      const std::string text = y < cells[i].size() ? cells[i][y] : "";
      line += (i == 0 ? "" : "  ") + text + std::string(widths[i] - text.size(), ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
}

/// What the table has no room for: values that are missing, groups that do not hold or are within noise.
std::string remarks(const Judgement& judgement) {
  std::string text;
  const auto remark = [&](const std::string& what) { text += judgement.claim->id + ": " + what + "\n"; };
  if (judgement.verdict == Verdict::kNotRun) {
    remark("not run: " + judgement.missing.front());
    return text;
  }
  if (!judgement.missing.empty())
    remark(std::to_string(judgement.missing.size()) +
           " groups without a value: " + judgement.missing.front());
  if (judgement.claim->combine != Combine::kAll || judgement.groups.size() == 1) return text;
  std::string failing;
  std::string noisy;
  for (const GroupResult& group : judgement.groups) {
    const std::string shown = group.name() + " " + with_spread(group.mean, group.half_width);
    if (!group.holds) failing += (failing.empty() ? "" : ", ") + shown;
    if (group.within_noise) noisy += (noisy.empty() ? "" : ", ") + shown;
  }
  const std::string expected = judgement.claim->expect.text();
  if (!failing.empty()) remark("not " + expected + ": " + failing);
  if (!noisy.empty()) remark("within noise of " + expected + ": " + noisy);
  return text;
}

std::size_t count_of(const std::vector<Judgement>& judgements, Verdict verdict) {
  return static_cast<std::size_t>(std::count_if(
      judgements.begin(), judgements.end(), [&](const Judgement& each) { return each.verdict == verdict; }));
}

std::string counts(const std::vector<Judgement>& judgements) {
  std::string text = counted(judgements.size(), "claim") + ":";
  const char* separator = " ";
  for (const Verdict verdict :
       {Verdict::kReproduced, Verdict::kPartly, Verdict::kNotReproduced, Verdict::kNotRun}) {
    text += separator + std::to_string(count_of(judgements, verdict)) + " " + name_of(verdict);
    separator = ", ";
  }
  const auto worse = std::count_if(judgements.begin(), judgements.end(),
                                   [](const Judgement& judgement) { return judgement.worse(); });
  return text + "; " + std::to_string(worse) + " worse than known\n";
}

std::string experiments_of(const Claim& claim) {
  std::string text;
  for (const std::string& stem : claim.experiments) text += (text.empty() ? "" : ", ") + stem;
  return text;
}

std::string json_groups(const std::vector<GroupResult>& groups) {
  std::string text = "[";
  for (const GroupResult& group : groups) {
    text += (&group == groups.data() ? "" : ", ") + std::string("{\"group\": ") + json_string(group.name()) +
            ", \"mean\": " + json_number(group.mean) + ", \"half_width\": " + json_number(group.half_width) +
            ", \"min\": " + json_number(group.least) + ", \"max\": " + json_number(group.most) +
            ", \"seeds\": " + std::to_string(group.by_seed.size()) +
            ", \"holds\": " + (group.holds ? "true" : "false") +
            ", \"within_noise\": " + (group.within_noise ? "true" : "false") + "}";
  }
  return text + "]";
}

std::string junit_message(const Judgement& judgement) {
  if (judgement.verdict == Verdict::kNotRun) return "not run: " + judgement.missing.front();
  return verdict_text(judgement) + ": " + ours(judgement) + ", expected " + judgement.claim->expect.text() +
         "; paper: " + judgement.claim->paper_value;
}

JUnitCase::Result junit_result(Verdict verdict) {
  switch (verdict) {
    case Verdict::kReproduced:
      return JUnitCase::Result::kPassed;
    case Verdict::kNotReproduced:
      return JUnitCase::Result::kFailed;
    case Verdict::kPartly:
    case Verdict::kNotRun:
      break;
  }
  return JUnitCase::Result::kSkipped;
}

}  // namespace

std::string claims_table(const std::vector<Judgement>& judgements) {
  std::vector<Cells> rows(1);
  for (std::size_t i = 0; i < kColumns; ++i) rows.front()[i] = {kHeader[i]};
  for (const Judgement& judgement : judgements) rows.push_back(cells_of(judgement));
  std::array<std::size_t, kColumns> widths{};
  for (const Cells& row : rows) {
    for (std::size_t i = 0; i < kColumns; ++i) {
      for (const std::string& line : row[i]) widths[i] = std::max(widths[i], line.size());
    }
  }
  std::string out;
  for (const Cells& row : rows) append_row(out, row, widths);
  std::string more;
  for (const Judgement& judgement : judgements) more += remarks(judgement);
  return out + (more.empty() ? "" : "\n" + more) + "\n" + counts(judgements);
}

std::string claims_json(const std::vector<Judgement>& judgements) {
  std::string out = "[";
  for (const Judgement& judgement : judgements) {
    const Claim& claim = *judgement.claim;
    out += &judgement == judgements.data() ? "\n  {" : ",\n  {";
    const std::pair<const char*, std::string> texts[] = {{"id", claim.id},
                                                         {"paper", claim.paper},
                                                         {"section", claim.section},
                                                         {"figure", claim.figure},
                                                         {"statement", claim.statement},
                                                         {"paper_value", claim.paper_value},
                                                         {"experiment", experiments_of(claim)},
                                                         {"expression", claim.expression_text},
                                                         {"expect", claim.expect.text()},
                                                         {"verdict", name_of(judgement.verdict)},
                                                         {"known", name_of(claim.known)},
                                                         {"see", claim.see},
                                                         {"note", claim.note}};
    for (const auto& [key, text] : texts) out += json_string(key) + ": " + json_string(text) + ", ";
    out += std::string("\"worse\": ") + (judgement.worse() ? "true" : "false") +
           ", \"value\": " + json_number(judgement.value) +
           ", \"half_width\": " + json_number(judgement.half_width) +
           ", \"within_noise\": " + (judgement.noisy > 0 ? "true" : "false") +
           ", \"groups\": " + json_groups(judgement.groups) +
           ", \"missing\": " + json_strings(judgement.missing) + "}";
  }
  return out + (judgements.empty() ? "]\n" : "\n]\n");
}

std::string claims_junit(const std::vector<Judgement>& judgements) {
  std::vector<JUnitCase> cases;
  for (const Judgement& judgement : judgements) {
    const Claim& claim = *judgement.claim;
    cases.push_back({claim.paper + "." + claim.section, claim.id, junit_result(judgement.verdict),
                     junit_message(judgement), claim.statement + " = " + ours(judgement)});
  }
  return junit_text("claims", cases);
}

}  // namespace harness
