#include "harness/core/pipeline.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace harness {
namespace {

using NameLists = std::vector<std::vector<std::string>>;

Pipeline named(const std::vector<std::string>& names) {
  Pipeline pipeline;
  for (const std::string& name : names) {
    Module module;
    module.name = name;
    pipeline.modules.push_back(module);
  }
  return pipeline;
}

std::string link(const std::vector<std::string>& names, const NameLists& pres, const NameLists& subs = {}) {
  Pipeline pipeline = named(names);
  return link_modules(pipeline, pres, subs.empty() ? NameLists(names.size()) : subs);
}

/// Returns da of PARD section 5.1: person -> {pose, face} -> expression -> eye.
Pipeline da() {
  Pipeline pipeline = named({"person", "pose", "face", "expression", "eye"});
  EXPECT_EQ(
      link_modules(pipeline, {{}, {"person"}, {"person"}, {"pose", "face"}, {"expression"}}, NameLists(5)),
      "");
  return pipeline;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(LinkModules, FillsInBothDirectionsFromEither) {
  for (const bool by_pres : {true, false}) {
    Pipeline pipeline = named({"a", "b", "c"});
    const NameLists pres = by_pres ? NameLists{{}, {"a"}, {"b"}} : NameLists(3);
    const NameLists subs = by_pres ? NameLists(3) : NameLists{{"b"}, {"c"}, {}};
    ASSERT_EQ(link_modules(pipeline, pres, subs), "");
    EXPECT_TRUE(pipeline.modules[0].pres.empty());
    EXPECT_EQ(pipeline.modules[1].pres, std::vector<ModuleId>{0});
    EXPECT_EQ(pipeline.modules[1].subs, std::vector<ModuleId>{2});
    EXPECT_TRUE(pipeline.modules[2].subs.empty());
    EXPECT_TRUE(pipeline.is_chain());
  }
}

TEST(LinkModules, PutsModulesIntoTopologicalOrder) {
  Pipeline pipeline = named({"last", "middle", "first"});
  ASSERT_EQ(link_modules(pipeline, {{"middle"}, {"first"}, {}}, NameLists(3)), "");
  EXPECT_EQ(pipeline.modules[0].name, "first");
  EXPECT_EQ(pipeline.modules[1].name, "middle");
  EXPECT_EQ(pipeline.modules[2].name, "last");
}

TEST(LinkModules, KnowsADagFromAChain) {
  const Pipeline pipeline = da();
  EXPECT_FALSE(pipeline.is_chain());
  EXPECT_EQ(pipeline.modules[3].pres, (std::vector<ModuleId>{1, 2}));
  EXPECT_EQ(pipeline.modules[0].subs, (std::vector<ModuleId>{1, 2}));
}

TEST(LinkModules, RefusesCyclesAndNamesThem) {
  const std::string wrong = link({"in", "a", "b"}, {{}, {"in", "b"}, {"a"}});
  EXPECT_TRUE(contains(wrong, "cycle: a, b")) << wrong;
  EXPECT_NE(link({"a"}, {{"a"}}), "") << "a module that needs itself";
  EXPECT_NE(link({"a", "b"}, {{"b"}, {"a"}}), "") << "no entry at all";
}

TEST(LinkModules, RefusesTwoEntries) {
  const std::string wrong = link({"a", "b", "c"}, {{}, {}, {"a", "b"}});
  EXPECT_TRUE(contains(wrong, "two entries") && contains(wrong, "'a'") && contains(wrong, "'b'")) << wrong;
}

TEST(LinkModules, TakesSeveralEntriesSideBySideIfNothingJoinsThem) {
  Pipeline pipeline;
  pipeline.independent = true;
  for (const char* name : {"a", "b", "c", "d"}) pipeline.modules.emplace_back().name = name;
  Pipeline joined = pipeline;
  EXPECT_EQ(link_modules(pipeline, {{}, {}, {"a"}, {"b"}}, NameLists(4)), "");
  EXPECT_EQ(entries_in(pipeline), (std::vector<ModuleId>{0, 1}));
  EXPECT_EQ(entries_of(pipeline), (std::vector<ModuleId>{0, 1, 0, 1}));
  const std::string wrong = link_modules(joined, {{}, {}, {"a", "b"}, {"c"}}, NameLists(4));
  EXPECT_TRUE(contains(wrong, "'c' is reached from two entries, 'a' and 'b'")) << wrong;
}

TEST(LinkModules, RefusesUnknownEmptyAndRepeatedNames) {
  EXPECT_TRUE(contains(link({"a", "b"}, {{}, {"x"}}), "unknown module 'x'"));
  EXPECT_TRUE(contains(link({"a", "b"}, {{}, {"a"}}, {{"y"}, {}}), "unknown module 'y'"));
  EXPECT_TRUE(contains(link({"a", ""}, {{}, {"a"}}), "empty name"));
  EXPECT_TRUE(contains(link({"a", "a"}, {{}, {"a"}}), "'a'"));
  EXPECT_NE(link({}, {}), "");
}

TEST(LinkModules, RefusesMoreThan64Modules) {
  std::vector<std::string> names;
  NameLists pres;
  for (int i = 0; i < 65; ++i) {
    names.push_back("m" + std::to_string(i));
    pres.push_back(i == 0 ? std::vector<std::string>{}
                          : std::vector<std::string>{"m" + std::to_string(i - 1)});
  }
  EXPECT_NE(link(names, pres), "");
  names.pop_back();
  pres.pop_back();
  EXPECT_EQ(link(names, pres), "");
}

TEST(Paths, OfTheDiamondByHand) {
  const Pipeline pipeline = da();
  const std::vector<double> cost = {10, 7, 20, 5, 3};
  EXPECT_EQ(longest_after(pipeline, cost), (std::vector<double>{28, 8, 8, 3, 0}));
  EXPECT_EQ(longest_before(pipeline, cost), (std::vector<double>{0, 10, 10, 30, 35}));
  using Paths = std::vector<std::vector<ModuleId>>;
  EXPECT_EQ(paths_after(pipeline, 0), (Paths{{1, 3, 4}, {2, 3, 4}}));
  EXPECT_EQ(paths_after(pipeline, 3), (Paths{{4}}));
  EXPECT_EQ(paths_after(pipeline, 4), (Paths{{}}));
  EXPECT_EQ(modules_after(pipeline, 0), (std::vector<bool>{false, true, true, true, true}));
  EXPECT_EQ(modules_after(pipeline, 1), (std::vector<bool>{false, false, false, true, true}))
      << "not the module beside it";
  EXPECT_EQ(modules_after(pipeline, 4), std::vector<bool>(5, false));
}

TEST(Paths, LongestAfterIsTheMaximumOverAllPaths) {
  Pipeline pipeline = named({"a", "b", "c", "d", "e"});
  ASSERT_EQ(link_modules(pipeline, {{}, {"a"}, {"a"}, {"a", "b"}, {"c", "d"}}, NameLists(5)), "");
  const std::vector<double> cost = {1, 2, 11, 4, 8};
  const std::vector<double> longest = longest_after(pipeline, cost);
  for (ModuleId k = 0; k < 5; ++k) {
    double most = 0;
    for (const std::vector<ModuleId>& path : paths_after(pipeline, k)) {
      double sum = 0;
      for (const ModuleId module : path) sum += cost[module];
      most = std::max(most, sum);
    }
    EXPECT_EQ(longest[k], most) << "module " << k;
  }
}

}  // namespace
}  // namespace harness
