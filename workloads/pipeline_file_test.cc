#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "harness/core/error.h"
#include "workloads/catalogue.h"

namespace harness {
namespace {

std::vector<std::string> names_of(const Pipeline& pipeline, const std::vector<ModuleId>& ids) {
  std::vector<std::string> names;
  for (const ModuleId id : ids) names.push_back(pipeline.modules[id].name);
  return names;
}

std::vector<std::string> module_names(const Pipeline& pipeline) {
  std::vector<std::string> names;
  for (const Module& module : pipeline.modules) names.push_back(module.name);
  return names;
}

using Names = std::vector<std::string>;

TEST(ShippedNames, WinOverFoldersOfTheCurrentDirectory) {
  namespace fs = std::filesystem;
  const fs::path before = fs::current_path();
  const fs::path folder = fs::path(testing::TempDir()) / "folders_with_names";
  fs::create_directories(folder / "da");
  fs::create_directories(folder / "shepherd-v100");
  fs::current_path(folder);
  EXPECT_NO_THROW(EXPECT_EQ(load_pipeline("da").name, "da"));
  EXPECT_NO_THROW(EXPECT_EQ(load_profiles("shepherd-v100").name, "shepherd-v100"));
  fs::current_path(before);
  fs::remove_all(folder);
}

// PARD section 5.1.
TEST(ShippedPipelines, AreThePapers) {
  EXPECT_EQ(pipeline_names(), (Names{"da", "ga", "lv", "tm"}));
  const Pipeline tm = load_pipeline("tm");
  EXPECT_EQ(tm.slo_ns, 400 * kNsPerMs);
  EXPECT_EQ(module_names(tm), (Names{"object_detection", "face_recognition", "text_recognition"}));
  const Pipeline lv = load_pipeline("lv");
  EXPECT_EQ(lv.slo_ns, 500 * kNsPerMs);
  EXPECT_EQ(module_names(lv), (Names{"person_detection", "face_recognition", "expression_recognition",
                                     "eye_tracking", "pose_recognition"}));
  const Pipeline ga = load_pipeline("ga");
  EXPECT_EQ(ga.slo_ns, 600 * kNsPerMs);
  EXPECT_EQ(module_names(ga),
            (Names{"object_detection", "kill_count", "alive_player", "health_value", "icon_recognition"}));
  EXPECT_TRUE(tm.is_chain() && lv.is_chain() && ga.is_chain());
}

TEST(ShippedPipelines, DaSplitsAndMerges) {
  const Pipeline da = load_pipeline("da");
  EXPECT_EQ(da.slo_ns, 420 * kNsPerMs);
  ASSERT_EQ(da.modules.size(), 5U);
  EXPECT_EQ(names_of(da, da.modules[0].subs), (Names{"pose_recognition", "face_recognition"}));
  const Module& expression = da.modules[3];
  EXPECT_EQ(expression.name, "expression_recognition");
  EXPECT_EQ(names_of(da, expression.pres), (Names{"pose_recognition", "face_recognition"}));
  EXPECT_EQ(names_of(da, expression.subs), (Names{"eye_tracking"}));
}

TEST(ShippedPipelines, EveryModuleCitesAModelThatHasAProfile) {
  const ProfileSet profiles = load_profiles("shepherd-v100");
  for (const std::string& name : pipeline_names()) {
    for (const Module& module : load_pipeline(name).modules) {
      EXPECT_TRUE(profiles.profiles.contains(module.model)) << module.model;
      EXPECT_GT(module.source.size(), 20U) << module.name;
    }
  }
}

/// On a device three times slower than a V100 (about a 2080 Ti), batches of 4 leave each batch time to wait
/// as long as it runs: 2 x the longest path of d_k(4) is within the SLO.
TEST(ShippedPipelines, MeetTheirSloWithBatchesOfFourOnASlowerDevice) {
  const ProfileSet profiles = load_profiles("shepherd-v100");
  for (const std::string& name : pipeline_names()) {
    const Pipeline pipeline = load_pipeline(name);
    std::vector<double> latency_ms;
    for (const Module& module : pipeline.modules) {
      latency_ms.push_back(ns_to_ms(scaled(profiles.profiles.at(module.model), 3).latency(4)));
    }
    const double path_ms = latency_ms[0] + longest_after(pipeline, latency_ms)[0];
    EXPECT_LE(2 * path_ms, ns_to_ms(pipeline.slo_ns)) << name;
  }
}

TEST(ParsePipeline, TakesModulesInAnyOrder) {
  const Pipeline pipeline = parse_pipeline("x/two.toml",
                                           "slo_ms = 12.5\n"
                                           "[[module]]\nname='b'\nmodel='m'\npres=['a']\n"
                                           "[[module]]\nname='a'\nmodel='m'\n");
  EXPECT_EQ(pipeline.name, "two");
  EXPECT_EQ(pipeline.slo_ns, 12'500'000);
  EXPECT_EQ(module_names(pipeline), (Names{"a", "b"}));
}

struct BadPipeline {
  const char* name;
  const char* text;
  const char* message;  ///< part of the one line that must come
};

class BadPipelines : public testing::TestWithParam<BadPipeline> {};

TEST_P(BadPipelines, GiveOneClearLine) {
  try {
    parse_pipeline("p.toml", GetParam().text);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    const std::string line = error.what();
    EXPECT_NE(line.find(GetParam().message), std::string::npos) << line;
    EXPECT_EQ(line.rfind("p.toml:", 0), 0U) << line;
    EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 0);
  }
}

const char* const kOne = "slo_ms=1\n[[module]]\nname='a'\nmodel='m'\n";

INSTANTIATE_TEST_SUITE_P(
    All, BadPipelines,
    testing::Values(
        BadPipeline{"syntax", "slo_ms = = 4\n", "p.toml:1:"}, BadPipeline{"empty", "", "slo_ms"},
        BadPipeline{"no_modules", "slo_ms=1\n", "[[module]]"},
        BadPipeline{"slo_text", "slo_ms='soon'\n[[module]]\nname='a'\nmodel='m'\n",
                    "p.toml:1: slo_ms: found 'soon'"},
        BadPipeline{"slo_negative", "slo_ms=-4\n[[module]]\nname='a'\nmodel='m'\n", "found -4"},
        BadPipeline{"slo_nan", "slo_ms=nan\n[[module]]\nname='a'\nmodel='m'\n", "found nan"},
        BadPipeline{"slo_infinite", "slo_ms=inf\n[[module]]\nname='a'\nmodel='m'\n", "found inf"},
        BadPipeline{"unknown_key", "slo_ms=1\n[[module]]\nname='a'\nmodle='m'\n", "did you mean model?"},
        BadPipeline{"unknown_top_key", "slo_m=1\n[[module]]\nname='a'\nmodel='m'\n", "did you mean slo_ms?"},
        BadPipeline{"unsuffixed_key", "slo=1\n[[module]]\nname='a'\nmodel='m'\n", "did you mean slo_ms?"},
        BadPipeline{"no_model", "slo_ms=1\n[[module]]\nname='a'\n", "model: found nothing"},
        BadPipeline{"empty_name", "slo_ms=1\n[[module]]\nname=''\nmodel='m'\n", "p.toml:3: name"},
        BadPipeline{"twice", "slo_ms=1\n[[module]]\nname='a'\nmodel='m'\n[[module]]\nname='a'\nmodel='m'\n",
                    "two modules are named 'a'"},
        BadPipeline{"unknown_pre", "slo_ms=1\n[[module]]\nname='a'\nmodel='m'\npres=['z']\n",
                    "unknown module 'z'"},
        BadPipeline{"self_cycle", "slo_ms=1\n[[module]]\nname='a'\nmodel='m'\npres=['a']\n", "cycle: a"},
        BadPipeline{
            "cycle",
            "slo_ms=1\n[[module]]\nname='e'\nmodel='m'\n[[module]]\nname='a'\nmodel='m'\npres=['e','b']\n"
            "[[module]]\nname='b'\nmodel='m'\npres=['a']\n",
            "cycle: a, b"},
        BadPipeline{"two_entries",
                    "slo_ms=1\n[[module]]\nname='a'\nmodel='m'\n[[module]]\nname='b'\nmodel='m'\n",
                    "two entries, 'a' and 'b'"},
        BadPipeline{"pres_number", "slo_ms=1\n[[module]]\nname='a'\nmodel='m'\npres=[4]\n", "found 4"},
        BadPipeline{"pres_text", "slo_ms=1\n[[module]]\nname='a'\nmodel='m'\npres='b'\n", "array of strings"},
        BadPipeline{"module_table", "slo_ms=1\n[module]\nname='a'\n", "[[module]]"},
        BadPipeline{"date", "slo_ms=1979-05-27\n", "a date or time"}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(ParsePipeline, AcceptsTheSmallestOne) { EXPECT_EQ(parse_pipeline("p.toml", kOne).modules.size(), 1U); }

TEST(LoadPipeline, NamesTheNearestForAnUnknownName) {
  try {
    load_pipeline("tmm");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean tm?"), std::string::npos) << error.what();
  }
  EXPECT_THROW(load_pipeline("/nowhere/at/all.toml"), InputError);
}

TEST(PipelineFile, AKeyOfManyPartsIsAnErrorAndDoesNotExhaustTheStack) {
  std::string key = "a";
  for (int i = 0; i < 200'000; ++i) key += ".a";
  try {
    parse_pipeline("deep.toml", key + " = 1\n");
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).rfind("deep.toml:1: found a dotted key", 0), 0U) << error.what();
  }
}

}  // namespace
}  // namespace harness
