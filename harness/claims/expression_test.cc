#include "harness/claims/expression.h"

#include <gtest/gtest.h>

#include <cmath>
#include <variant>

#include "harness/claims/evaluation.h"
#include "harness/core/test_refusal.h"
#include "harness/record/run/test_cells.h"

namespace harness {
namespace {

const InputPlace kPlace{"claims.toml", 7, "c: expression"};

SummaryRow dropping_row(const std::string& system, double drop_rate, double goodput_rps,
                        const std::string& parameters = "") {
  SummaryRow row = test_row(system, parameters);
  row["drop_rate"] = drop_rate;
  row["goodput_rps"] = goodput_rps;
  return row;
}

/// Returns rows of three systems and a variant; lambda is swept for pard alone.
std::vector<SummaryRow> rows() {
  std::vector<SummaryRow> rows = {dropping_row("nexus", 0.40, 100), dropping_row("clipperpp", 0.30, 120),
                                  dropping_row("pard", 0.10, 200, "pard.lambda=0.05"),
                                  dropping_row("pard", 0.05, 210, "pard.lambda=0.1"),
                                  dropping_row("pard", 0.20, 180, "pard.lambda=0.3")};
  rows.push_back(dropping_row("pard", 0.25, 150, "pard.estimate=back"));
  rows.back().cell.variant = "back";
  return rows;
}

/// Returns the value, or a text that says what is missing.
std::variant<double, std::string> evaluated(const std::string& text, std::vector<SummaryRow> summary,
                                            std::vector<Selector> bindings = {}) {
  const std::vector<ResultRow> all = result_rows("overall", std::move(summary));
  std::vector<const ResultRow*> pointers;
  for (const ResultRow& row : all) pointers.push_back(&row);
  Evaluation evaluation(pointers, std::move(bindings), kPlace);
  if (const auto value = evaluation.value(parse_expression(kPlace, text, {}))) return *value;
  return evaluation.missing();
}

double value_of(const std::string& text, std::vector<SummaryRow> summary = rows(),
                std::vector<Selector> bindings = {}) {
  return std::get<double>(evaluated(text, std::move(summary), std::move(bindings)));
}

std::string missing_of(const std::string& text, std::vector<SummaryRow> summary = rows()) {
  return std::get<std::string>(evaluated(text, std::move(summary)));
}

std::string error_of_expression(const std::string& text, const Vocabulary& vocabulary = {}) {
  return refusal_of([&] { parse_expression(kPlace, text, vocabulary); });
}

/// Returns a cell of "inferline" whose plan has two modules, the second with an odd name and no price, and a
/// cell without a known plan.
std::vector<ResultRow> planned_rows() {
  std::vector<SummaryRow> summary = {test_row("inferline", ""), test_row("naive", "")};
  summary[0].cell.index = 3;
  summary[1].cell.index = 4;
  PlanRow first;
  first.workers = 5;
  first.max_batch = 8;
  first.exec_ns = 40;
  first.usd_per_h = 0.5;
  PlanRow second;
  second.workers = 2;
  return result_rows("plan", summary, {.plans = {{3, "classify", first}, {3, "task:odd.name", second}}});
}

std::variant<double, std::string> planned(const std::string& text) {
  const std::vector<ResultRow> all = planned_rows();
  const std::vector<const ResultRow*> pointers = {&all[0], &all[1]};
  Evaluation evaluation(pointers, {}, kPlace);
  const Expression expression = parse_expression(kPlace, text, {});
  EXPECT_TRUE(reads_plans(expression));
  if (const auto value = evaluation.value(expression)) return *value;
  return evaluation.missing();
}

TEST(Expression, ReadsThePlanThatACellBeganWith) {
  EXPECT_EQ(
      std::get<double>(planned("plan.classify.workers[inferline] * plan.classify.max_batch[inferline]")), 40);
  EXPECT_EQ(std::get<double>(planned("1 - plan.classify.usd_per_h[inferline]")), 0.5);
  EXPECT_EQ(std::get<double>(planned("plan.classify.exec_ns[inferline]")), 40);
  EXPECT_EQ(std::get<double>(planned("plan.'task:odd.name'.workers[inferline]")), 2);
  EXPECT_FALSE(reads_plans(parse_expression(kPlace, "max(drop_rate[*], 1)", {})));
}

TEST(Expression, SaysWhatAPlanLacks) {
  EXPECT_EQ(std::get<std::string>(planned("plan.'task:odd.name'.usd_per_h[inferline]")),
            "plan.'task:odd.name'.usd_per_h[inferline] has no value");
  EXPECT_EQ(std::get<std::string>(planned("plan.clasify.workers[inferline]")),
            "plan.clasify.workers[inferline]: its plan has no such module");
  EXPECT_EQ(std::get<std::string>(planned("plan.classify.workers[naive]")),
            "plan.classify.workers[naive]: its plan has no such module");
  for (const auto& [text, message] :
       {std::pair{"plan.classify.worker[naive]", "an unknown column of a plan 'worker' at character 15"},
        std::pair{"plan.classify[naive]", "\"[naive]\" at character 14; allowed: \".\""},
        std::pair{"plan[naive]", "an unknown column 'plan' at character 1"}})
    EXPECT_NE(error_of_expression(text).find(message), std::string::npos) << error_of_expression(text);
}

/// Returns a minute in which `late` of `sent` requests were late and all had an accuracy of 0.5.
WindowCounts minute_of(std::uint32_t sent, std::uint32_t late) {
  return {.sent = sent, .in_time = sent - late, .late = late, .accuracy_sum = 0.5 * sent};
}

// Naive has nothing late in the first minute, and has no third minute.
TEST(Expression, ReadsTheMinutesOfTheLoad) {
  const std::vector<SummaryRow> summary = {test_row("pard", ""), test_row("naive", "")};
  const auto found = [&](const char* text) {
    std::vector<SummaryRow> cells = summary;
    cells[1].cell.index = 1;
    const std::vector<ResultRow> all =
        result_rows("plan", cells,
                    {.minutes = {{0, {minute_of(10, 1), minute_of(10, 4), minute_of(0, 0)}},
                                 {1, {minute_of(10, 0), minute_of(10, 8)}}}});
    const std::vector<const ResultRow*> pointers = {&all[0], &all[1]};
    const Expression expression = parse_expression(kPlace, text, {});
    EXPECT_TRUE(reads_minutes(expression));
    return Evaluation(pointers, {}, kPlace).value(expression);
  };
  const auto value = [&](const char* text) { return found(text).value(); };
  EXPECT_DOUBLE_EQ(value("max(minute.drop_rate[naive] / minute.drop_rate[pard] over minute)"), 2);
  EXPECT_DOUBLE_EQ(value("argmax(minute.drop_rate[pard] over minute)"), 1);
  EXPECT_FALSE(found("max(minute.path_violation_rate[pard] over minute)")) << "no task tree";
  EXPECT_DOUBLE_EQ(value("mean(minute.drop_rate[pard] over minute)"), 0.25) << "none was sent in the third";
  EXPECT_DOUBLE_EQ(value("sum(minute.sent[naive] over minute) + min(minute.accuracy[pard] over minute)"),
                   20.5);
  EXPECT_NE(error_of_expression("minute.drop_rate[pard]")
                .find("\"minute.drop_rate[pard]\" at character 1; allowed: minutes within"),
            std::string::npos);
  EXPECT_NE(error_of_expression("max(minute.drop_rat[pard] over minute)")
                .find("an unknown column of minutes 'drop_rat'"),
            std::string::npos);
}

TEST(Expression, FollowsTheUsualPrecedence) {
  EXPECT_DOUBLE_EQ(value_of("1 + 2 * 3"), 7);
  EXPECT_DOUBLE_EQ(value_of("(1 + 2) * 3"), 9);
  EXPECT_DOUBLE_EQ(value_of("8 / 4 / 2"), 1);
  EXPECT_DOUBLE_EQ(value_of("8 - 4 - 2"), 2);
  EXPECT_DOUBLE_EQ(value_of("-2 * -3 - -1"), 7);
  EXPECT_DOUBLE_EQ(value_of("2 * 3 < 7"), 1);
  EXPECT_DOUBLE_EQ(value_of("7 <= 3 + 3"), 0);
  EXPECT_DOUBLE_EQ(value_of("6 >= 3 + 3"), 1);
  EXPECT_DOUBLE_EQ(value_of("(2 > 1) + (1 > 2)"), 1);
  EXPECT_DOUBLE_EQ(value_of("min(3, 1 + 1, 4) + max(1, 5) + abs(1 - 2)"), 8);
  EXPECT_DOUBLE_EQ(value_of("1.5e2 + .5"), 150.5);
}

TEST(Expression, TakesMetricsOfSeries) {
  EXPECT_DOUBLE_EQ(value_of("drop_rate[nexus] / drop_rate[pard, lambda=0.1]"), 8);
  EXPECT_DOUBLE_EQ(value_of("drop_rate[nexus] / drop_rate[pard, pard.lambda = 0.10]"), 8);
  EXPECT_DOUBLE_EQ(value_of("goodput_rps[pard/back]"), 150);
  EXPECT_DOUBLE_EQ(value_of("goodput_rps[pard/'back']"), 150);
  EXPECT_DOUBLE_EQ(value_of("goodput_rps[pard/*, estimate=back]"), 150);
  EXPECT_DOUBLE_EQ(value_of("goodput_rps[clipperpp, experiment=overall, pipeline=lv]"), 120);
}

TEST(Expression, ReducesOverASweep) {
  EXPECT_DOUBLE_EQ(value_of("argmin(drop_rate[pard] over pard.lambda)"), 0.1);
  EXPECT_DOUBLE_EQ(value_of("argmax(drop_rate[pard] over pard.lambda)"), 0.3);
  EXPECT_DOUBLE_EQ(value_of("min(drop_rate[pard] over pard.lambda)"), 0.05);
  EXPECT_DOUBLE_EQ(value_of("max(drop_rate[pard] over pard.lambda)"), 0.2);
  EXPECT_DOUBLE_EQ(value_of("sum(goodput_rps[pard] over pard.lambda)"), 590);
  // Nexus has no lambda: its one row is compared with each of PARD's rows, which gives 4, 8 and 2.
  EXPECT_DOUBLE_EQ(value_of("mean(drop_rate[nexus] / drop_rate[pard] over pard.lambda)"), 14.0 / 3);
  // Values without a cell are left out.
  EXPECT_DOUBLE_EQ(value_of("min(drop_rate[*/default] over system)", {rows()[0], rows()[1]}), 0.3);
}

TEST(Expression, BracketsOverrideTheGroup) {
  std::vector<SummaryRow> two = {dropping_row("pard", 0.1, 100), dropping_row("pard", 0.3, 100)};
  two[1].cell.pipeline = "da";
  const std::vector<Selector> lv = {{"pipeline", field_value("lv")}};
  EXPECT_DOUBLE_EQ(value_of("drop_rate[pard, pipeline=da] / drop_rate[pard]", two, lv), 3);
}

TEST(Expression, SaysWhatIsMissing) {
  EXPECT_TRUE(holds(missing_of("drop_rate[naive]"), "no cell for drop_rate[naive]"));
  EXPECT_TRUE(holds(missing_of("0 / 0"), "no value: 0 / 0"));
  std::vector<SummaryRow> skipped = {dropping_row("pard", 0, 0)};
  skipped[0].status = "skipped";
  skipped[0].why = "SLO too short";
  EXPECT_TRUE(holds(missing_of("1 + drop_rate[pard]", skipped), "skipped: SLO too short"));
  std::vector<SummaryRow> no_value = {dropping_row("pard", NAN, 0)};
  EXPECT_TRUE(holds(missing_of("drop_rate[pard]", no_value), "no value"));
  EXPECT_TRUE(holds(missing_of("min(drop_rate[pard] over pard.lamda)"), "pard.lamda"));
}

TEST(Expression, RefusesSeveralCellsAndNamesWhatDiffers) {
  const std::string message = refusal_of([] { value_of("drop_rate[pard]"); });
  EXPECT_EQ(message.rfind("claims.toml:7: c: expression: ", 0), 0u) << message;
  EXPECT_TRUE(holds(message, "differ in pard.lambda;"));
}

TEST(Expression, RefusesWhatItCannotRead) {
  const std::pair<const char*, const char*> mistakes[] = {
      {"", "a number, a metric"},
      {"1 +", "the end"},
      {"1 2", "an operator or the end"},
      {"(1", "\")\""},
      {"1 < 2 < 3", "one comparison"},
      {"drop_rate", "\"[\" with a configuration"},
      {"drop_rate[", "a configuration such as"},
      {"drop_rate[]", "a configuration such as"},
      {"drop_rate[pard", "a configuration such as"},
      {"drop_rate[pard,]", "KEY=VALUE"},
      {"drop_rate[pard, lambda]", "\"=\""},
      {"drop_rate[pard, lambda=]", "a value"},
      {"drop_rate[pard/'late]", "a closing '"},
      {"drop_rat[pard]", "did you mean 'drop_rate'"},
      {"fingerprint[pard]", "unknown column"},
      {"median(1, 2)", "one of the functions"},
      {"mean(1)", "over KEY"},
      {"argmin(1, 2)", "over KEY"},
      {"min(1 over)", "the key"},
      {"1 # 2", "\"# 2\" at character 3"},
      {"drop_rate[*, lambda=1]", "unknown column 'lambda'"},
      {"1e999", "a number"},
  };
  for (const auto& [text, words] : mistakes) {
    const std::string message = error_of_expression(text);
    EXPECT_EQ(message.rfind("claims.toml:7: c: expression: ", 0), 0u) << message;
    EXPECT_TRUE(holds(message, words)) << text;
  }
  EXPECT_TRUE(holds(error_of_expression(std::string(5000, '(')), "100 signs"));
  EXPECT_TRUE(holds(error_of_expression(std::string(5000, '-')), "100 signs"));
}

/// Returns `part` repeated `many` times.
std::string repeated(const std::string& part, int many) {
  std::string text;
  for (int i = 0; i < many; ++i) text += part;
  return text;
}

TEST(Expression, RefusesMoreTermsThanItCanWalk) {
  constexpr int kMax = 1000;
  for (const std::string& one : std::vector<std::string>{"1 + ", "1 - ", "2 * ", "2 / ", "abs(1) + ",
                                                         "drop_rate[nexus] * ", "- 1 - "}) {
    const bool two = one == "abs(1) + " || one == "- 1 - ";  // the function and its argument, sign and number
    const int fitting = two ? kMax / 2 - 1 : kMax - 1;
    EXPECT_NO_THROW(parse_expression(kPlace, repeated(one, fitting) + "1", {})) << one;
    for (const int many : {kMax, 50'000}) {
      EXPECT_TRUE(holds(error_of_expression(repeated(one, many) + "1"),
                        "claims.toml:7: c: expression: ", "at most 1000 numbers, metrics and functions"))
          << one;
    }
  }
  EXPECT_TRUE(holds(error_of_expression("min(1" + repeated(", 1", 50'000) + ")"), "at most 1000"));
  EXPECT_DOUBLE_EQ(value_of(repeated("1 + ", kMax - 1) + "1"), kMax);
}

TEST(Expression, RefusesManyReductionsWithinEachOther) {
  const auto nested = [](int many) {
    return repeated("mean(", many) + "drop_rate[pard]" + repeated(" over pard.lambda)", many);
  };
  EXPECT_NO_THROW(parse_expression(kPlace, nested(4), {}));
  EXPECT_TRUE(holds(error_of_expression(nested(5)), "at most 4 of \"over KEY\""));
  EXPECT_NO_THROW(parse_expression(kPlace, nested(4) + " + " + nested(4), {}));
}

TEST(SameValue, WholeNumbersAreTheSameOnlyWhenEqual) {
  EXPECT_FALSE(same_value(field_value("20240101"), field_value("20240102")));
  EXPECT_FALSE(same_value(field_value(9007199254740991.0), field_value(9007199254740992.0)));
  EXPECT_TRUE(same_value(field_value("20240101"), field_value(20240101.0)));
  EXPECT_TRUE(same_value(field_value("0.3"), field_value(0.1 + 0.2)));
  EXPECT_TRUE(same_value(field_value("1"), field_value(1 + 1e-9)));
}

TEST(Expression, KnowsTheSystems) {
  const Vocabulary vocabulary{{"naive", "nexus", "pard"}};
  EXPECT_NO_THROW(parse_expression(kPlace, "drop_rate[pard/any] + drop_rate[*]", vocabulary));
  EXPECT_TRUE(holds(error_of_expression("drop_rate[nexsus]", vocabulary), "did you mean 'nexus'"));
}

}  // namespace
}  // namespace harness
