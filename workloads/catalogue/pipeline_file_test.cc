#include "workloads/catalogue/pipeline_file.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "harness/core/input_error.h"
#include "harness/core/routes.h"
#include "workloads/catalogue/profile_set.h"

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
  const Names names = pipeline_names();
  for (const char* name : {"da", "da-dynamic", "ga", "lv", "rag", "shepherd13", "shepherd17", "social-media",
                           "tm", "traffic-analysis", "two-streams"})
    EXPECT_EQ(std::count(names.begin(), names.end(), name), 1) << name;
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

// SHEPHERD, Table 4 and section 7: each model by itself, SLO 250 ms.
TEST(ShippedPipelines, HaveTheModelsOfShepherdSideBySide) {
  const ProfileSet profiles = load_profiles("shepherd-v100");
  const Pipeline all = load_pipeline("shepherd17");
  EXPECT_EQ(all.modules.size(), 17U);
  const Pipeline first = load_pipeline("shepherd13");
  const Pipeline two = load_pipeline("two-streams");
  EXPECT_EQ(module_names(two), (Names{"resnet18", "resnest269"}));
  Names names = module_names(all);
  names.resize(13);
  EXPECT_EQ(module_names(first), names);
  for (const Pipeline* pipeline : {&all, &first, &two}) {
    EXPECT_TRUE(pipeline->independent);
    EXPECT_EQ(pipeline->slo_ns, 250 * kNsPerMs);
    EXPECT_EQ(entries_in(*pipeline).size(), pipeline->modules.size());
    for (const Module& module : pipeline->modules) {
      EXPECT_EQ(module.name, module.model);
      EXPECT_TRUE(profiles.profiles.contains(module.model)) << module.model;
    }
  }
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

// PARD section 5.2: da, but each request takes either the pose or the face branch.
TEST(ShippedPipelines, DaDynamicIsDaWithAChoice) {
  const Pipeline da = load_pipeline("da");
  const Pipeline dynamic = load_pipeline("da-dynamic");
  EXPECT_EQ(module_names(dynamic), module_names(da));
  EXPECT_EQ(dynamic.slo_ns, da.slo_ns);
  for (std::size_t m = 0; m < da.modules.size(); ++m) {
    EXPECT_EQ(dynamic.modules[m].model, da.modules[m].model);
    EXPECT_EQ(dynamic.modules[m].subs, da.modules[m].subs);
    EXPECT_EQ(dynamic.modules[m].branches, m == 0 ? Branches::kOne : Branches::kAll);
  }
  EXPECT_EQ(visit_probabilities(dynamic), (std::vector<double>{1, 0.5, 0.5, 1, 1}));
}

/// All but rag, whose models and services are of other profiles (profile_set_test.cc), InferLine's
/// (inferline_workload_test.cc), QUART's (quart_workload_test.cc), and small, whose profiles every machine
/// measures for itself, square, whose profile is a server's, independent models, which are no video
/// analytics, and trees of tasks (loki_workload_test.cc).
Names video_pipelines() {
  Names names = pipeline_names();
  std::erase_if(names, [](const std::string& name) {
    const Pipeline pipeline = load_pipeline(name);
    return pipeline.independent || pipeline.has_tasks() || name.starts_with("quart-");
  });
  for (const char* other : {"rag", "small", "image-processing", "social-posts", "tf-cascade",
                            "video-monitoring", "resnet152-alone", "nmt-alone", "preprocess-alone", "square"})
    std::erase(names, other);
  return names;
}

TEST(ShippedPipelines, EveryModuleCitesAModelThatHasAProfile) {
  const ProfileSet profiles = load_profiles("shepherd-v100");
  for (const std::string& name : video_pipelines()) {
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
  for (const std::string& name : video_pipelines()) {
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

const char* const kFork =
    "slo_ms=1\n[[module]]\nname='b'\nmodel='m'\n[[module]]\nname='c'\nmodel='m'\n"
    "[[module]]\nname='a'\nmodel='m'\n";

TEST(ParsePipeline, BranchWeightsFollowTheOrderOfSubs) {
  const std::string text = std::string(kFork) + "subs=['c','b']\nbranches='one'\nbranch_weights=[3,1]\n";
  const Pipeline pipeline = parse_pipeline("p.toml", text);
  EXPECT_EQ(module_names(pipeline), (Names{"a", "b", "c"}));
  EXPECT_EQ(visit_probabilities(pipeline), (std::vector<double>{1, 0.25, 0.75}));
}

TEST(ParsePipeline, EachBranchHasAProbabilityOfItsOwn) {
  const std::string text =
      std::string(kFork) + "subs=['c','b']\nbranches='each'\nbranch_probabilities=[0.3,1]\n";
  const Pipeline pipeline = parse_pipeline("p.toml", text);
  EXPECT_EQ(module_names(pipeline), (Names{"a", "b", "c"}));
  EXPECT_EQ(visit_probabilities(pipeline), (std::vector<double>{1, 1, 0.3}));
  const Pipeline cascade =
      parse_pipeline("p.toml",
                     "slo_ms=1\n[[module]]\nname='a'\nmodel='m'\nsubs=['b']\nbranches='each'\n"
                     "branch_probabilities=[0.25]\n[[module]]\nname='b'\nmodel='m'\n");
  EXPECT_EQ(visit_probabilities(cascade), (std::vector<double>{1, 0.25}));
  EXPECT_FALSE(cascade.is_chain());
}

const std::string kAlone = "slo_ms=1\n[[module]]\nname='a'\nmodel='m'\n";

TEST(ParsePipeline, AModuleMayDeclareItsTensor) {
  const Pipeline pipeline =
      parse_pipeline("p.toml",
                     "slo_ms=1\n[[module]]\nname='a'\nmodel='m'\ninput_bytes=150528\nsubs=['b']\n"
                     "[[module]]\nname='b'\nmodel='m'\n");
  EXPECT_EQ(pipeline.modules[0].input_bytes, 150528u);
  EXPECT_EQ(pipeline.modules[1].input_bytes, 0u);
  EXPECT_NO_THROW(parse_pipeline("p.toml", kAlone + "input_bytes=33554432\n"));
  EXPECT_THROW(parse_pipeline("p.toml", kAlone + "input_bytes=33554433\n"), InputError);
}

TEST(ParsePipeline, AModuleMayDeclareItsImage) {
  const auto last = [](const std::string& keys) {
    return parse_pipeline("p.toml", kAlone + keys + "\n").modules.back();
  };
  const Module module = last("input_size=[480, 640]");
  EXPECT_EQ(module.input_height, 480);
  EXPECT_EQ(module.input_width, 640);
  EXPECT_EQ(module.input_bytes, 921600u) << "3 bytes a pixel";
  EXPECT_EQ(last("input_size=[480, 640]\ninput_bytes=921600").input_bytes, 921600u);
  EXPECT_EQ(last("").input_height, 0);
  for (const char* wrong :
       {"input_size=[480]", "input_size=[480, 640, 3]", "input_size=[0, 640]", "input_size=[480.5, 640]",
        "input_size=[4096, 4096]", "input_size=[480, 640]\ninput_bytes=921601"})
    EXPECT_THROW(last(wrong), InputError) << wrong;
}

TEST(ParsePipeline, AModuleMayNameItsFile) {
  const auto last = [](const std::string& file, const std::string& keys) {
    return parse_pipeline(file, kAlone + keys + "\n").modules.back();
  };
  const std::string size = "input_size=[8, 8]\n";
  EXPECT_EQ(last("p.toml", size).file, "");
  EXPECT_EQ(last("p.toml", size + "file='mine.pt'").file, "mine.pt");
  EXPECT_EQ(last("a/b/p.toml", size + "file='mine.pt'").file, "a/b/mine.pt");
  EXPECT_EQ(last("a/b/p.toml", size + "file='/models/mine.pt'").file, "/models/mine.pt");
  EXPECT_THROW(last("p.toml", size + "file=''"), InputError);
  EXPECT_THROW(last("p.toml", "file='mine.pt'"), InputError) << "a file does not say what it takes";
}

TEST(ParsePipeline, BranchesOneWithoutWeightsIsEven) {
  const Pipeline pipeline = parse_pipeline("p.toml", std::string(kFork) + "subs=['b','c']\nbranches='one'\n");
  EXPECT_EQ(visit_probabilities(pipeline), (std::vector<double>{1, 0.5, 0.5}));
  const Pipeline all = parse_pipeline("p.toml", std::string(kFork) + "subs=['b','c']\nbranches='all'\n");
  EXPECT_EQ(all.modules[0].branches, Branches::kAll);
}

struct BadBranches {
  const char* name;
  const char* keys;     ///< keys of the last module of kFork, from line 11 on
  const char* message;  ///< beginning of the line after the file
};

class BadBranchKeys : public testing::TestWithParam<BadBranches> {};

TEST_P(BadBranchKeys, GiveFileLineAndKey) {
  try {
    parse_pipeline("p.toml", std::string(kFork) + GetParam().keys);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()).rfind(std::string("p.toml:") + GetParam().message, 0), 0U)
        << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, BadBranchKeys,
    testing::Values(
        BadBranches{"unknown", "subs=['b','c']\nbranches='some'\n",
                    "12: module.branches: found \"some\"; allowed: one of all, one, each"},
        BadBranches{"number", "subs=['b','c']\nbranches=1\n", "12: module.branches: found 1"},
        BadBranches{"weights_alone", "subs=['b','c']\nbranch_weights=[1,1]\n",
                    "12: module.branch_weights: found weights with branches = 'all'"},
        BadBranches{"each_without", "subs=['b','c']\nbranches='each'\n", "8: module.branch_probabilities"},
        BadBranches{"each_with_weights", "subs=['b','c']\nbranches='each'\nbranch_weights=[1,1]\n",
                    "13: module.branch_weights: found weights with branches = 'each'; allowed: "
                    "branches = 'one', or no weights"},
        BadBranches{"probabilities_of_one", "subs=['b','c']\nbranches='one'\nbranch_probabilities=[1,1]\n",
                    "13: module.branch_probabilities: found probabilities with branches = 'one'"},
        BadBranches{"probability_zero", "subs=['b','c']\nbranches='each'\nbranch_probabilities=[1,0]\n",
                    "13: module.branch_probabilities: found 0"},
        BadBranches{"probability_above_one",
                    "subs=['b','c']\nbranches='each'\nbranch_probabilities=[1,1.01]\n",
                    "13: module.branch_probabilities: found 1.01"},
        BadBranches{"too_few_probabilities", "subs=['b','c']\nbranches='each'\nbranch_probabilities=[0.5]\n",
                    "13: module.branch_probabilities: found 1 probabilities; allowed: 2"},
        BadBranches{"too_few", "subs=['b','c']\nbranches='one'\nbranch_weights=[1]\n",
                    "13: module.branch_weights: found 1 weights; allowed: 2"},
        BadBranches{"too_many", "subs=['b','c']\nbranches='one'\nbranch_weights=[1,1,1]\n",
                    "13: module.branch_weights: found 3 weights; allowed: 2"},
        BadBranches{"zero", "subs=['b','c']\nbranches='one'\nbranch_weights=[1,0]\n",
                    "13: module.branch_weights: found 0"},
        BadBranches{"negative", "subs=['b','c']\nbranches='one'\nbranch_weights=[1,-1]\n",
                    "13: module.branch_weights: found -1"},
        BadBranches{"not_finite", "subs=['b','c']\nbranches='one'\nbranch_weights=[1,inf]\n",
                    "13: module.branch_weights: found inf"},
        BadBranches{"twice", "subs=['b','c','b']\nbranches='one'\nbranch_weights=[1,1,1]\n",
                    "13: module.branch_weights: found weights for subs that name 3 of the 2"},
        BadBranches{"by_pres_only",
                    "subs=['b','c']\nbranches='one'\nbranch_weights=[1,1]\n"
                    "[[module]]\nname='d'\nmodel='m'\npres=['a']\n",
                    "13: module.branch_weights: found weights for subs that name 2 of the 3"}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(ParsePipeline, RefusesAChoiceAmongFewerThanTwo) {
  for (const char* subs : {"", "subs=['b']\n"}) {
    const std::string text = std::string("slo_ms=1\n[[module]]\nname='a'\nmodel='m'\nbranches='one'\n") +
                             subs + (*subs == 0 ? "" : "[[module]]\nname='b'\nmodel='m'\n");
    try {
      parse_pipeline("p.toml", text);
      FAIL() << "accepted";
    } catch (const InputError& error) {
      EXPECT_EQ(std::string(error.what()).rfind("p.toml:5: module.branches: found module 'a' has", 0), 0U)
          << error.what();
    }
  }
}

const char* const kOne = "slo_ms=1\n[[module]]\nname='a'\nmodel='m'\n";

INSTANTIATE_TEST_SUITE_P(
    All, BadPipelines,
    testing::Values(
        BadPipeline{"syntax", "slo_ms = = 4\n", "p.toml:1:"}, BadPipeline{"empty", "", "slo_ms"},
        BadPipeline{"no_modules", "slo_ms=1\n", "[[module]]"},
        BadPipeline{"slo_text", "slo_ms='soon'\n[[module]]\nname='a'\nmodel='m'\n",
                    "p.toml:1: slo_ms: found \"soon\""},
        BadPipeline{"slo_negative", "slo_ms=-4\n[[module]]\nname='a'\nmodel='m'\n", "found -4"},
        BadPipeline{"slo_nan", "slo_ms=nan\n[[module]]\nname='a'\nmodel='m'\n", "found nan"},
        BadPipeline{"slo_infinite", "slo_ms=inf\n[[module]]\nname='a'\nmodel='m'\n", "found inf"},
        BadPipeline{"unknown_key", "slo_ms=1\n[[module]]\nname='a'\nmodle='m'\n", "did you mean 'model'?"},
        BadPipeline{"unknown_top_key", "slo_m=1\n[[module]]\nname='a'\nmodel='m'\n",
                    "did you mean 'slo_ms'?"},
        BadPipeline{"unsuffixed_key", "slo=1\n[[module]]\nname='a'\nmodel='m'\n", "did you mean 'slo_ms'?"},
        BadPipeline{"no_model", "slo_ms=1\n[[module]]\nname='a'\n", "model: missing"},
        BadPipeline{"empty_name", "slo_ms=1\n[[module]]\nname=''\nmodel='m'\n", "p.toml:3: module.name"},
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
                    "two entries, 'a' and 'b': give one of them pres, or set independent = true"},
        BadPipeline{"joined_entries",
                    "slo_ms=1\nindependent=true\n[[module]]\nname='a'\nmodel='m'\n[[module]]\nname='b'\n"
                    "model='m'\n[[module]]\nname='c'\nmodel='m'\npres=['a','b']\n",
                    "module 'c' is reached from two entries, 'a' and 'b'"},
        BadPipeline{"independent_text", "slo_ms=1\nindependent='yes'\n[[module]]\nname='a'\nmodel='m'\n",
                    "p.toml:2: independent: found \"yes\"; allowed: true or false"},
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

constexpr const char* kTasks = R"(slo_ms = 250
[[task]]
name = "detect"
subs = ["read"]
input_size = [480, 640]
[[task.variant]]
model = "small"
accuracy = 28
fan_out = [2]
[[task.variant]]
model = "large"
accuracy = 56
fan_out = [17.5]
source = "somewhere"
[[task]]
name = "read"
[[task.variant]]
model = "b0"
accuracy = 1
)";

// Loki, section 6.1: accuracies relative to the best variant of a family.
TEST(TaskFiles, GiveVariantsRelativeAccuracies) {
  const Pipeline pipeline = parse_pipeline("x/two.toml", kTasks);
  EXPECT_EQ(module_names(pipeline), (Names{"detect:large", "detect:small", "read:b0"}));
  EXPECT_EQ(pipeline.modules[0].accuracy, 1);
  EXPECT_EQ(pipeline.modules[1].accuracy, 0.5);
  EXPECT_EQ(pipeline.modules[1].input_height, 480);
  EXPECT_EQ(pipeline.modules[0].fan_out, (std::vector<double>{17.5}));
  EXPECT_EQ(pipeline.tasks.size(), 2U);
  EXPECT_EQ(pipeline.tasks[0].variants, 2);
  EXPECT_FALSE(pipeline.fixed_fan_out);
}

std::string message_of(const std::string& text) {
  try {
    parse_pipeline("two.toml", text);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(TaskFiles, SayWhatIsWrongWithThem) {
  const std::string good = kTasks;
  const auto with = [&](const std::string& what, const std::string& instead) {
    std::string text = good;
    text.replace(text.find(what), what.size(), instead);
    return message_of(text);
  };
  EXPECT_NE(with("fan_out = [2]", "")
                .find("two.toml:6: task.variant.fan_out: found 0 numbers; allowed: 1, one for each"),
            std::string::npos);
  EXPECT_NE(
      with("fan_out = [2]", "fan_out = [2, 3]").find("two.toml:9: task.variant.fan_out: found 2 numbers"),
      std::string::npos);
  EXPECT_NE(with("fan_out = [2]", "fan_out = [-2]").find("fan_out"), std::string::npos);
  EXPECT_NE(with("subs = [\"read\"]", "subs = [\"reed\"]").find("reed"), std::string::npos);
  EXPECT_NE(with("accuracy = 28", "acuracy = 28").find("accuracy"), std::string::npos);
  EXPECT_NE(with("slo_ms = 250", "slo_ms = 250\nfan_out_spread = \"x\"").find("one of poisson, rounded"),
            std::string::npos);
  EXPECT_NE(with("slo_ms = 250", "slo_ms = 250\nindependent = true").find("independent"), std::string::npos);
}

}  // namespace
}  // namespace harness
