#include "harness/claims/claims_report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <map>
#include <tuple>

#include "harness/core/wording.h"
#include "harness/text/json.h"
#include "harness/text/junit_text.h"
#include "harness/text/text_table.h"

namespace harness {
namespace {

std::string short_text(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", value);
  return text;
}

std::string with_spread(double value, double half_width) {
  return short_text(value) + (std::isnan(half_width) ? "" : " +- " + short_text(half_width));
}

/// Returns "1.9 +- 0.1 (0.8 .. 5.6; 11 of 12 hold)".
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

/// Returns ", budget of 24 seeds spent" if no look at the claim is left.
std::string spent_text(const Judgement& judgement) {
  if (!judgement.is_spent()) return "";
  std::size_t seeds = 0;
  for (const GroupResult& group : judgement.groups) seeds = std::max(seeds, group.by_seed.size());
  return ", budget of " + counted(seeds, "seed") + " spent";
}

std::string verdict_text(const Judgement& judgement) {
  std::string text = name_of(judgement.verdict);
  if (judgement.verdict == Verdict::kUndecided)
    text += ", " + std::string(name_of(judgement.worst)) + " to " + name_of(judgement.best) +
            spent_text(judgement);
  const Verdict known = judgement.claim->known;
  if (judgement.verdict == Verdict::kUndecided && known != Verdict::kUndecided && known != Verdict::kNotRun)
    return text + ", known as " + name_of(known);
  if (judgement.worse()) return text + ", WORSE than known (" + name_of(judgement.claim->known) + ")";
  const bool better = known != Verdict::kNotRun && judgement.verdict > known;
  if (better) return text + ", better than known (" + name_of(judgement.claim->known) + ")";
  return text + (judgement.verdict < Verdict::kReproduced && !judgement.claim->see.empty()
                     ? ", see " + judgement.claim->see
                     : "");
}

/// Returns lines for which the table has no room: missing values, groups that do not hold or are within
/// noise.
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
  std::size_t without = 0;
  for (const GroupResult& group : judgement.groups) without += group.without;
  if (without > 0) remark(counted(without, "seed") + " without a value: " + judgement.without);
  if (judgement.claim->combine != Combine::kAll || judgement.groups.size() == 1) return text;
  std::vector<std::string> failing;
  std::vector<std::string> noisy;
  for (const GroupResult& group : judgement.groups) {
    const std::string shown = group.name() + " " + with_spread(group.mean, group.half_width);
    if (!group.holds) failing.push_back(shown);
    if (group.within_noise) noisy.push_back(shown);
  }
  const std::string expected = judgement.claim->expect.text();
  if (!failing.empty()) remark("not " + expected + ": " + join_names(failing));
  if (!noisy.empty()) remark("within noise of " + expected + ": " + join_names(noisy));
  return text;
}

/// A statement and the verdict on it.
struct JudgedStatement {
  const Claim* claim = nullptr;
  Verdict verdict = Verdict::kNotRun;
  bool chosen_after = false;
};

/// Returns what the claims state, each once: claims with one statement and one expression, on several
/// experiments, count as one with the worst of their verdicts.
std::vector<JudgedStatement> statements_of(const std::vector<Judgement>& judgements) {
  std::vector<JudgedStatement> statements;
  std::map<std::tuple<std::string, Kind, std::string, std::string>, std::size_t> places;
  for (const Judgement& judgement : judgements) {
    const Claim& claim = *judgement.claim;
    const auto [place, is_new] = places.emplace(
        std::tuple(claim.paper, claim.kind, claim.statement, claim.expression_text), statements.size());
    if (is_new) statements.push_back({&claim, judgement.verdict, claim.chosen_after});
    statements[place->second].chosen_after |= claim.chosen_after;
    Verdict& verdict = statements[place->second].verdict;
    const bool is_worse = judgement.verdict != Verdict::kNotRun && judgement.verdict < verdict;
    if (is_worse || verdict == Verdict::kNotRun) verdict = judgement.verdict;
  }
  return statements;
}

/// Returns "3 reproduced, 0 partly, ..." for these statements, with the number of those that were chosen
/// after results. `all` includes verdicts that no statement has.
std::string verdicts_text(const std::vector<JudgedStatement>& statements, bool all) {
  std::vector<std::string> texts;
  for (const Verdict verdict : {Verdict::kReproduced, Verdict::kPartly, Verdict::kUndecided,
                                Verdict::kNotReproduced, Verdict::kNotRun}) {
    const auto count = std::ranges::count(statements, verdict, &JudgedStatement::verdict);
    if (all || count > 0) texts.push_back(std::to_string(count) + " " + name_of(verdict));
  }
  const auto after = std::ranges::count(statements, true, &JudgedStatement::chosen_after);
  return join_names(texts) +
         (after > 0 ? "; " + std::to_string(after) + " of them chosen after results" : "");
}

/// Returns a line on the claims of kind paper and a line on the others; a line without claims is left out.
std::string counts(const std::vector<Judgement>& judgements) {
  const std::vector<JudgedStatement> statements = statements_of(judgements);
  std::string lines;
  std::vector<std::string> others;
  for (const Kind kind : kKinds) {
    std::vector<JudgedStatement> of_kind;
    std::ranges::copy_if(statements, std::back_inserter(of_kind),
                         [&](const JudgedStatement& each) { return each.claim->kind == kind; });
    if (of_kind.empty()) continue;
    if (kind == Kind::kPaper)
      lines = counted(of_kind.size(), "claim") + " of kind paper: " + verdicts_text(of_kind, true);
    else
      others.push_back(std::to_string(of_kind.size()) + " " + name_of(kind) + " (" +
                       verdicts_text(of_kind, false) + ")");
  }
  if (!others.empty())
    lines += (lines.empty() ? "of other kinds: " : "\nof other kinds: ") + join_names(others);
  const auto worse = std::count_if(judgements.begin(), judgements.end(),
                                   [](const Judgement& judgement) { return judgement.worse(); });
  return lines + "; " + std::to_string(worse) + " worse than known\n";
}

std::vector<Json> cells_json(const std::map<std::string, std::set<std::size_t>>& cells) {
  std::vector<Json> objects;
  for (const auto& [experiment, numbers] : cells) {
    JsonObject object;
    object.add("experiment", experiment);
    object.add("cells", std::vector<std::size_t>(numbers.begin(), numbers.end()));
    objects.push_back(object.json());
  }
  return objects;
}

std::vector<Json> groups_json(const std::vector<GroupResult>& groups) {
  std::vector<Json> objects;
  for (const GroupResult& group : groups) {
    JsonObject object;
    object.add("group", group.name());
    object.add("mean", group.mean);
    object.add("half_width", group.half_width);
    object.add("min", group.least);
    object.add("max", group.most);
    object.add("seeds", group.by_seed.size());
    object.add("seeds_without", group.without);
    object.add("holds", group.holds);
    object.add("within_noise", group.within_noise);
    object.add("is_equal", group.is_equal);
    object.add("cells", Json{json_of(cells_json(group.cells))});
    objects.push_back(object.json());
  }
  return objects;
}

TextTable table_of(const std::vector<Judgement>& judgements) {
  TextTable table;
  for (const Judgement& judgement : judgements) {
    const Claim& claim = *judgement.claim;
    table.add_row();
    table.add({"id", "id", 40}, claim.id);
    table.add({"kind", "kind"}, name_of(claim.kind),
              name_of(claim.kind) + std::string(claim.chosen_after ? ", after" : ""));
    table.add({"chosen_after", ""}, claim.chosen_after);
    table.add({"paper", ""}, claim.paper);
    table.add({"section", "section", 14}, claim.section,
              claim.section + (claim.figure.empty() ? "" : ", " + claim.figure));
    table.add({"figure", ""}, claim.figure);
    table.add({"statement", "claim", 46}, claim.statement);
    table.add({"paper_value", "paper", 26}, claim.paper_value);
    table.add({"experiment", ""}, join_names(claim.experiments));
    table.add({"expression", ""}, claim.expression_text);
    table.add({"expect", ""}, claim.expect.text());
    table.add({"", "ours", 32}, ours(judgement));
    table.add({"verdict", "verdict", 32}, name_of(judgement.verdict), verdict_text(judgement));
    table.add({"known", ""}, name_of(claim.known));
    table.add({"see", ""}, claim.see);
    table.add({"note", ""}, claim.note);
    table.add({"worse", ""}, judgement.worse());
    table.add({"value", ""}, judgement.value);
    table.add({"half_width", ""}, judgement.half_width);
    table.add({"looks", ""}, judgement.looks);
    table.add({"budget_spent", ""}, judgement.is_spent());
    table.add({"worst", ""}, name_of(judgement.worst));
    table.add({"best", ""}, name_of(judgement.best));
    table.add({"groups", ""}, Json{json_of(groups_json(judgement.groups))});
    table.add({"missing", ""}, Json{json_of(judgement.missing)});
  }
  return table;
}

std::string junit_message(const Judgement& judgement) {
  const std::string kind = std::string("; kind: ") + name_of(judgement.claim->kind);
  if (judgement.verdict == Verdict::kNotRun) return "not run: " + judgement.missing.front() + kind;
  return verdict_text(judgement) + ": " + ours(judgement) + ", expected " + judgement.claim->expect.text() +
         "; paper: " + judgement.claim->paper_value + kind;
}

JUnitCase::Result junit_result(Verdict verdict) {
  switch (verdict) {
    case Verdict::kReproduced:
      return JUnitCase::Result::kPassed;
    case Verdict::kNotReproduced:
      return JUnitCase::Result::kFailed;
    case Verdict::kPartly:
    case Verdict::kUndecided:
    case Verdict::kNotRun:
      break;
  }
  return JUnitCase::Result::kSkipped;
}

}  // namespace

std::string claims_table(const std::vector<Judgement>& judgements) {
  std::vector<Judgement> judged;
  std::map<std::string, std::size_t> without;  // number of claims by the missing results
  for (const Judgement& judgement : judgements) {
    if (judgement.without_results)
      ++without[judgement.missing.front()];
    else
      judged.push_back(judgement);
  }
  std::string text;
  for (const auto& [missing, claims] : without)
    text += "not run: " + counted(claims, "claim") + ", " + missing + "\n";
  if (!text.empty() && !judged.empty()) text += "\n";
  if (!judged.empty()) text += aligned_text(table_of(judged));
  std::string more;
  for (const Judgement& judgement : judged) more += remarks(judgement);
  return text + (more.empty() ? "" : "\n" + more) + "\n" + counts(judgements);
}

std::string claims_json(const std::vector<Judgement>& judgements) {
  return json_text(table_of(judgements)) + "\n";
}

std::string claims_junit(const std::vector<Judgement>& judgements) {
  std::vector<JUnitCase> cases;
  for (const Judgement& judgement : judgements) {
    const Claim& claim = *judgement.claim;
    cases.push_back({claim.paper + "." + claim.section, claim.id, junit_result(judgement.verdict),
                     junit_message(judgement),
                     claim.statement + " = " + ours(judgement) + " (kind " + name_of(claim.kind) + ")"});
  }
  return junit_text("claims", cases);
}

}  // namespace harness
