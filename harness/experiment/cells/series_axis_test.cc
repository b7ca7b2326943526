#include <gtest/gtest.h>

#include <set>

#include "harness/experiment/cells/test_experiment_text.h"

namespace harness {
namespace {

const std::string kThreeSystems =
    "[[system]]\nname = \"nexus\"\n"
    "[[system]]\nname = \"nexus\"\nvariant = \"large\"\nset = { \"planner.max_batch\" = 8 }\n"
    "[[system]]\nname = \"pard\"\nparams = { estimate = \"back\" }\n";

std::string on_tweet(const std::string& lines) {
  return "[workload]\npipelines = \"lv\"\ntraces = \"tweet\"\n" + lines + kThreeSystems;
}

using Groups = std::set<std::pair<std::string, std::string>>;  // workload, series

/// Returns every pair of workload and series. Expects all cells of a pair to have different seeds.
Groups groups_of(const std::string& text) {
  std::set<std::tuple<std::string, std::string, std::uint64_t>> cells;
  Groups names;
  for (const PreparedCell& cell : prepare_all(parse(text))) {
    const CellIdentity& identity = cell.identity;
    EXPECT_TRUE(cells.emplace(identity.workload, identity.series, identity.seed).second) << identity.workload;
    names.emplace(identity.workload, identity.series);
  }
  return names;
}

Groups each_on(const std::vector<std::string>& workloads, const std::vector<std::string>& series) {
  Groups names;
  for (const std::string& one : workloads) {
    for (const std::string& name : series) names.emplace(one, name);
  }
  return names;
}

const std::vector<std::string> kSeries = {"nexus", "nexus/large", "pard/estimate=back"};

TEST(SeriesAxis, SeedsAreNoPartOfEither) {
  EXPECT_EQ(groups_of(on_tweet("seeds = [1, 2]\n")), each_on({"lv tweet load 1 slo 500 ms"}, kSeries));
}

TEST(SeriesAxis, WhatASystemSetsForItselfMakesNoWorkloadASharedSweepDoes) {
  EXPECT_EQ(groups_of(on_tweet("") + sweep("cluster.workers", "[32, 64]")),
            each_on({"lv tweet load 1 slo 500 ms cluster.workers=32",
                     "lv tweet load 1 slo 500 ms cluster.workers=64"},
                    kSeries));
  // Whatever table the keys are of.
  EXPECT_EQ(groups_of(on_tweet("") + sweep("planner.sizing_factor", "[1, 2]") +
                      sweep("serving.commit", "[\"late\"]")),
            each_on({"lv tweet load 1 slo 500 ms planner.sizing_factor=1 serving.commit=late",
                     "lv tweet load 1 slo 500 ms planner.sizing_factor=2 serving.commit=late"},
                    kSeries));
}

TEST(SeriesAxis, ASweepOfASystemsParametersMakesSeries) {
  EXPECT_EQ(groups_of(on_tweet("") + sweep("pard.lambda", "[0.1, 0.2]")),
            each_on({"lv tweet load 1 slo 500 ms"}, {"nexus", "nexus/large", "pard/estimate=back lambda=0.1",
                                                     "pard/estimate=back lambda=0.2"}));
}

TEST(SeriesAxis, LoadsRatesAndSlosAreAsTheExperimentGivesThem) {
  EXPECT_EQ(groups_of(on_tweet("loads = [0.1, 1.2]\nslo_ms = [333.25]\n")),
            each_on({"lv tweet load 0.1 slo 333.25 ms", "lv tweet load 1.2 slo 333.25 ms"}, kSeries));
  EXPECT_EQ(groups_of(on_tweet("rates_rps = [150]\nslo_factors = [2.5]\n")),
            each_on({"lv tweet 150 requests/s slo_factor 2.5"}, kSeries));
  EXPECT_EQ(groups_of(on_tweet("rates_rps_per_worker = [10]\n") + sweep("cluster.workers", "[8, 16]")),
            each_on({"lv tweet 80 requests/s slo 500 ms cluster.workers=8",
                     "lv tweet 160 requests/s slo 500 ms cluster.workers=16"},
                    kSeries));
}

TEST(SeriesAxis, RuntimesAndSettingsMakeWorkloads) {
  const std::string settings =
      "[[setting]]\nname = \"far away\"\nset = { \"cluster.network_delay_ms\" = 3, \"workload.load\" = 0.7 "
      "}\n";
  EXPECT_EQ(groups_of("runtime = [\"simulated\", \"emulated\"]\n" + on_tweet("") + settings +
                      sweep("live.repeat", "[1, 2]")),
            each_on({"lv tweet load 0.7 slo 500 ms setting=far away",
                     "lv tweet load 0.7 slo 500 ms emulated setting=far away live.repeat=1",
                     "lv tweet load 0.7 slo 500 ms emulated setting=far away live.repeat=2"},
                    kSeries));
}

/// A variant that is tuned for each trace is one series.
TEST(SeriesAxis, TwoEntriesOfOneVariantAreOneSeries) {
  const std::string text =
      "[workload]\npipelines = \"lv\"\ntraces = [\"tweet\", \"wiki\"]\n"
      "[[system]]\nname = \"pard\"\nvariant = \"oc\"\nparams = { overload_alpha = 0.1 }\n"
      "only = { traces = \"tweet\" }\n"
      "[[system]]\nname = \"pard\"\nvariant = \"oc\"\nparams = { overload_alpha = 0.2 }\n"
      "only = { traces = \"wiki\" }\n";
  EXPECT_EQ(groups_of(text),
            each_on({"lv tweet load 1 slo 500 ms", "lv wiki load 1 slo 500 ms"}, {"pard/oc"}));
}

}  // namespace
}  // namespace harness
