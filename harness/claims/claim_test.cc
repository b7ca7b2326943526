#include "harness/claims/claim.h"

#include <gtest/gtest.h>

#include <cmath>

#include "harness/core/test_refusal.h"

namespace harness {
namespace {

constexpr const char* kClaim = R"(# a claims file
[[claim]]
id = "pard.overall.drop-rate"
kind = "paper"
paper = "pard"
section = "5.2"
statement = "PARD drops less"
paper_value = "1.6x-17x"
experiment = "overall"
expression = "drop_rate[nexus] / drop_rate[pard]"
expect = [1.6, 17]
)";

std::vector<Claim> parsed(const std::string& text) {
  return parse_claims_file("claims.toml", text, {{"naive", "nexus", "pard"}});
}

std::string error_of_claims_file(const std::string& text) {
  return refusal_of([&] { parsed(text); });
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  return text.replace(text.find(from), from.size(), to);
}

TEST(ClaimsFile, ReadsAClaim) {
  const std::vector<Claim> claims = parsed(std::string(kClaim) + R"(
figure = "Fig. 8"
where = { trace = ["wiki", "tweet"], load = ["> 0.9", "<= 1.1"], pard.lambda = 0.1, "planner.autoscale" = false }
partly = "> 1"
for_each = ["pipeline", "trace"]
combine = "mean"
known = "not reproduced"
see = "docs/reproduction.md#drop-rate"
note = "a note"
)");
  ASSERT_EQ(claims.size(), 1u);
  const Claim& claim = claims.front();
  EXPECT_EQ(claim.id, "pard.overall.drop-rate");
  EXPECT_EQ(claim.kind, Kind::kPaper);
  EXPECT_EQ(claim.place.line, 3);
  EXPECT_EQ(claim.experiments, std::vector<std::string>{"overall"});
  EXPECT_EQ(claim.expect.text(), "[1.6, 17]");
  EXPECT_EQ(claim.partly->text(), "> 1");
  EXPECT_EQ(claim.combine, Combine::kMean);
  EXPECT_EQ(claim.known, Verdict::kNotReproduced);
  EXPECT_EQ(claim.for_each, (std::vector<std::string>{"pipeline", "trace"}));
  ASSERT_EQ(claim.where.size(), 4u);
  const Filter* load = nullptr;
  for (const Filter& filter : claim.where) load = filter.key == "load" ? &filter : load;
  ASSERT_NE(load, nullptr);
  EXPECT_EQ(load->range->text(), "(0.9, 1.1]");
  ResultRow row;
  row.fields = {{"trace", {"wiki", {}}}, {"load", field_value(1.0)}, {"planner.autoscale", {"false", {}}}};
  for (const Filter& filter : claim.where) EXPECT_TRUE(filter.keeps(row)) << filter.key;
  row.fields = {{"trace", {"azure", {}}},
                {"load", field_value(0.9)},
                {"planner.autoscale", {"true", {}}},
                {"pard.lambda", field_value(0.2)}};
  for (const Filter& filter : claim.where) EXPECT_FALSE(filter.keeps(row)) << filter.key;
}

TEST(ClaimsFile, IntervalsContainTheirClosedEnds) {
  const auto interval = [](const std::string& expect) {
    return parsed(replaced(kClaim, "[1.6, 17]", expect)).front().expect;
  };
  EXPECT_TRUE(interval("[1.6, 17]").contains(1.6));
  EXPECT_TRUE(interval("[1.6, 17]").contains(17));
  EXPECT_FALSE(interval("[1.6, 17]").contains(17.1));
  EXPECT_FALSE(interval("[1.6, 17]").contains(NAN));
  EXPECT_FALSE(interval("'> 1'").contains(1));
  EXPECT_TRUE(interval("'> 1'").contains(INFINITY));
  EXPECT_TRUE(interval("'>= 1'").contains(1));
  EXPECT_TRUE(interval("[2, inf]").contains(1e9));
  EXPECT_FALSE(interval("['> 0', '< 1']").contains(1));
  EXPECT_TRUE(interval("['> 0', '<= 1']").contains(1));
  EXPECT_TRUE(interval("[1, 1]").contains(1));
}

TEST(ClaimsFile, AFigureIsMetWithinAQuarterOfItOrOfAFactorsGain) {
  const auto text = [](const std::string& about) {
    return parsed(replaced(kClaim, "expect = [1.6, 17]", "about = " + about)).front().expect.text();
  };
  EXPECT_EQ(text("0.4"), "[0.3, 0.5]");
  EXPECT_EQ(text("300"), "[225, 375]");
  EXPECT_EQ(text("'9x'"), "[7, 11]");
  EXPECT_EQ(text("'1.4x'"), "[1.3, 1.5]");
}

TEST(ClaimsFile, RefusesMistakesWithTheirPlace) {
  const std::string claim = kClaim;
  const struct {
    std::string text;
    const char* place;
    const char* words;
  } mistakes[] = {
      {"", "claims.toml:", "at least one [[claim]]"},
      {"claim = 3", "claims.toml:", "tables with the heading [[claim]]"},
      {"[claims]", "claims.toml:1:", "did you mean 'claim'"},
      {claim + "expects = 1", "claims.toml:12:", "did you mean 'expect'"},
      {replaced(claim, "paper = \"pard\"\n", ""), "claims.toml:2: claim.paper:", "missing"},
      {replaced(claim, "kind = \"paper\"\n", ""), "claims.toml:2: claim.kind:", "missing"},
      {replaced(claim, "\"paper\"", "\"guess\""),
       "claims.toml:4: pard.overall.drop-rate: kind:", "paper, reading, ours"},
      {replaced(claim, "expect = [1.6, 17]\n", ""), "claims.toml:2:", "an interval such as"},
      {claim + "about = 3", "claims.toml:12:", "expect or about"},
      {replaced(claim, "expect = [1.6, 17]", "about = '1x'"),
       "claims.toml:11: pard.overall.drop-rate: about:", "a factor above 1"},
      {replaced(claim, "expect = [1.6, 17]", "about = '3 x'"), "claims.toml:11:", "\"3 x\""},
      {replaced(claim, "expect = [1.6, 17]", "about = 0"), "claims.toml:11:", "a number above 0"},
      {replaced(claim, "[1.6, 17]", "[17, 1.6]"),
       "claims.toml:11: pard.overall.drop-rate: expect:", "nothing lies"},
      {replaced(claim, "[1.6, 17]", "['> 2', '< 2']"), "claims.toml:11:", "nothing lies"},
      {replaced(claim, "[1.6, 17]", "[nan, 2]"), "claims.toml:11:", "[low, high]"},
      {replaced(claim, "[1.6, 17]", "[1]"), "claims.toml:11:", "[low, high]"},
      {replaced(claim, "[1.6, 17]", "\"about 3\""), "claims.toml:11:", "about 3"},
      {replaced(claim, "drop_rate[pard]", "drop_rte[pard]"), "claims.toml:10:", "did you mean 'drop_rate'"},
      {replaced(claim, "[pard]", "[prad]"), "claims.toml:10:", "did you mean 'pard'"},
      {replaced(claim, "pard.overall", "Pard overall"), "claims.toml:3:", "a-z"},
      {claim + claim, "claims.toml:14: id:", "line 3 has this one"},
      {claim + "for_each = ['pipline']", "claims.toml:12:", "did you mean 'pipeline'"},
      {claim + "for_each = []", "claims.toml:12:", "empty"},
      {claim + "for_each = ['trace', 'trace']", "claims.toml:12:", "twice"},
      {claim + "where = { trce = 'wiki' }", "claims.toml:12:", "did you mean 'trace'"},
      {claim + "where = { load = '> much' }", "claims.toml:12:", "> much"},
      {claim + "where = { load = [] }", "claims.toml:12:", "comparisons"},
      {claim + "where = { load = [1, '> 2'] }", "claims.toml:12:", "comparisons"},
      {claim + "where = 'lv'", "claims.toml:12:", "a table"},
      {claim + "combine = 'any'", "claims.toml:12:", "all, min, max, mean, share"},
      {claim + "known = 'perhaps'",
       "claims.toml:12:", "reproduced, partly, undecided, not reproduced, not run"},
      {claim + "partly = [2, 3]", "claims.toml:12:", "holds expect"},
      {replaced(claim, "\"overall\"", "[]"), "claims.toml:9:", "empty"},
      {replaced(claim, "\"overall\"", "3"), "claims.toml:9:", "string"},
  };
  for (const auto& mistake : mistakes) {
    const std::string message = error_of_claims_file(mistake.text);
    EXPECT_EQ(message.rfind(mistake.place, 0), 0u) << mistake.text << "\n" << message;
    EXPECT_TRUE(holds(message, mistake.words)) << mistake.text;
  }
}

}  // namespace
}  // namespace harness
