#include "harness/experiment/reading/experiment_spec.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "harness/core/test_refusal.h"
#include "harness/experiment/cells/test_experiment_text.h"
#include "harness/experiment/reading/settings.h"
#include "harness/experiment/reading/suite.h"
#include "harness/files/file_bytes.h"
#include "systems/all_systems.h"

namespace harness {
namespace {

const std::string kSmallest = R"([workload]
pipelines = ["lv"]
traces = ["tweet"]
[[system]]
name = "pard"
)";

/// Returns a value of a parameter other than its present one, as TOML; "" if it finds no such value.
std::string other_value(const Param& param) {
  const ParamValue now = param.get();
  std::vector<ParamValue> candidates = {true, false, 1.0, 2.0, 3.0, 0.5, 0.25, 60.0, std::string("other")};
  if (param.allowed.rfind("one of ", 0) == 0) {
    std::string names = param.allowed.substr(7) + ", ";
    for (std::size_t comma; (comma = names.find(", ")) != std::string::npos; names.erase(0, comma + 2)) {
      candidates.emplace_back(names.substr(0, comma));
    }
  }
  for (const ParamValue& value : candidates) {
    if (value != now && param.set(value)) return toml_text(param.get());
  }
  return "";
}

TEST(ExperimentSpec, SmallestFileHasTheStatedDefaults) {
  const ExperimentSpec spec = parse(kSmallest);
  EXPECT_EQ(spec.name, "test");
  EXPECT_EQ(spec.folder, "exp");
  EXPECT_EQ(spec.workload.loads, std::vector<double>{1.0});
  EXPECT_EQ(spec.workload.seeds, std::vector<std::uint64_t>{1});
  EXPECT_TRUE(spec.workload.rates_rps.empty());
  EXPECT_TRUE(spec.workload.slo_ms.empty());
  EXPECT_TRUE(spec.rows.has(0));
  EXPECT_FALSE(spec.states.has(0));
  ASSERT_EQ(spec.systems.size(), 1U);
  EXPECT_EQ(spec.systems[0].variant, "default");
  EXPECT_EQ(spec.traces.at("tweet").shape, "tweet");
  EXPECT_EQ(spec.traces.at("tweet").duration_s, 60);
}

TEST(ExperimentSpec, ReadsTheAxes) {
  const ExperimentSpec spec = parse(R"(name = "n"
runtime = "simulated"
[workload]
pipelines = ["lv", "tm"]
traces = "poisson"
rates_rps = [10, 20.5]
seeds = [3, 9007199254740992]
slo_ms = 250
duration_s = 7
[record]
rows = false
states = true
[[system]]
name = "naive"
)");
  EXPECT_EQ(spec.name, "n");
  EXPECT_EQ(spec.workload.pipelines[1].name, "tm");
  EXPECT_EQ(spec.workload.pipelines[1].place.line, 4);
  EXPECT_EQ(spec.workload.rates_rps, (std::vector<double>{10, 20.5}));
  EXPECT_EQ(spec.workload.seeds, (std::vector<std::uint64_t>{3, 9007199254740992ULL}));
  EXPECT_EQ(spec.workload.slo_ms, std::vector<double>{250});
  EXPECT_EQ(spec.traces.at("poisson").duration_s, 7);
  EXPECT_FALSE(spec.rows.has(0));
  EXPECT_TRUE(spec.states.has(0));
}

// Each parameter of the shared sections, written in the file, arrives in the struct, and only there.
TEST(ExperimentSpec, EveryParameterOfTheFixedSectionsIsRead) {
  Settings defaults;
  for (const Section& section : fixed_sections(defaults)) {
    for (const Param& listed : section.params) {
      Settings scratch;
      std::string value;
      for (const Section& same : fixed_sections(scratch)) {
        if (same.name != section.name) continue;
        for (const Param& param : same.params) {
          if (param.name == listed.name) value = other_value(param);
        }
      }
      ASSERT_NE(value, "") << section.name << "." << listed.name;
      const std::string heading = "[" + section.name + "]\n";
      const std::string line = listed.name + " = " + value + "\n";
      const bool begins = kSmallest.starts_with(heading);
      const ExperimentSpec spec =
          parse(begins ? heading + line + kSmallest.substr(heading.size()) : kSmallest + heading + line);
      Settings base = spec.base;
      for (const Section& read : fixed_sections(base)) {
        for (const Param& param : read.params) {
          Settings fresh;
          const bool is_it = read.name == section.name && param.name == listed.name;
          std::string standard;
          for (const Section& s : fixed_sections(fresh)) {
            for (const Param& p : s.params) {
              if (s.name == read.name && p.name == param.name) standard = toml_text(p.get());
            }
          }
          EXPECT_EQ(toml_text(param.get()), is_it ? value : standard) << read.name << "." << param.name;
        }
      }
    }
  }
}

TEST(ExperimentSpec, EveryParameterOfASystemIsReadFromParamsAndFromItsTable) {
  for (const SystemEntry& entry : all_systems()) {
    const std::unique_ptr<System> listed = entry.make();
    for (const Param& param : system_params(*listed)) {
      const std::string value = other_value(param);
      ASSERT_NE(value, "") << entry.name << "." << param.name;
      const std::string workload = "[workload]\npipelines = \"lv\"\ntraces = \"tweet\"\n";
      const std::string system = "[[system]]\nname = \"" + std::string(entry.name) + "\"\n";
      const std::string assignment = param.name + " = " + value;
      for (const bool own : {true, false}) {
        const ExperimentSpec spec =
            own ? parse(workload + system + "params = { " + assignment + " }\n")
                : parse(workload + "[" + entry.name + "]\n" + assignment + "\n" + system);
        Settings settings = spec.base;
        for (const Assignment& one : spec.systems[0].overrides) assign(settings, one);
        const std::unique_ptr<System> made = make_system(entry.name, settings);
        for (const Param& read : system_params(*made)) {
          if (read.name != param.name) continue;
          EXPECT_EQ(toml_text(read.get()), value) << entry.name << "." << param.name;
        }
      }
    }
  }
}

TEST(ExperimentSpec, EveryParameterOfATraceIsRead) {
  TraceSpec listed;
  for (const Param& param : trace_params(listed)) {
    TraceSpec scratch;
    std::string value;
    for (const Param& same : trace_params(scratch)) {
      if (same.name == param.name) value = other_value(same);
    }
    if (param.name == "file" || param.name == "shape") continue;  // they exclude one another: see below
    ASSERT_NE(value, "") << param.name;
    if (param.name == "step_from") value = "0.1";  // not above step_to
    if (param.name == "step_to") value = "0.9";
    if (param.name == "transition_from_s") value = "5";  // before the end
    int read_by = 0;
    for (const char* shape : {"gamma", "mmpp", "step", "transition", "tweet", "file\"\nfile = \"x"}) {
      const std::string text =
          std::string("[workload]\npipelines = \"lv\"\ntraces = \"t\"\n[trace.t]\nshape = \"") + shape +
          "\"\n" + param.name + " = " + value + "\n[[system]]\nname = \"naive\"\n";
      if (has(error_of(text), ": found " + param.name + " with ")) continue;
      TraceSpec read = parse(text).traces.at("t");
      for (const Param& one : trace_params(read)) {
        if (one.name != param.name) continue;
        EXPECT_EQ(toml_text(one.get()), value) << param.name;
      }
      ++read_by;
    }
    EXPECT_GT(read_by, 0) << param.name;
  }
}

TEST(ExperimentSpec, ATraceWithAFileIsAFile) {
  const ExperimentSpec spec = parse(
      "[workload]\npipelines = \"lv\"\ntraces = \"t\"\n[trace.t]\nfile = \"a/b.csv\"\n[[system]]\nname = "
      "\"naive\"\n");
  EXPECT_EQ(spec.traces.at("t").shape, "file");
  EXPECT_EQ(spec.traces.at("t").file, "a/b.csv");
}

TEST(ExperimentSpec, TheNumberOfAColumnNeedsNoQuotes) {
  const std::string head = "[workload]\npipelines = \"lv\"\ntraces = \"t\"\n[[system]]\nname = \"naive\"\n";
  const std::string text = head + "[trace.t]\nfile = \"a.csv\"\ncolumn = ";
  EXPECT_EQ(parse(text + "2\n").traces.at("t").column, "2");
  EXPECT_TRUE(has(error_of(text + "2.5\n"), "trace.t.column: found 2.5; allowed: a name, a number"));
}

TEST(ExperimentSpec, ATraceMayReplaceAShapeOfItsName) {
  const ExperimentSpec spec = parse(kSmallest + "[trace.tweet]\ncompress = 100\n");
  EXPECT_EQ(spec.traces.at("tweet").shape, "tweet");
  EXPECT_EQ(spec.traces.at("tweet").compress, 100);
}

TEST(ExperimentSpec, VariantsAreNamedAfterWhatIsOverridden) {
  const ExperimentSpec spec = parse(kSmallest +
                                    "params = { lambda = 0.2 }\nset = { \"serving.commit\" = \"late\" }\n"
                                    "[[system]]\nname = \"pard\"\nvariant = \"plain\"\n");
  EXPECT_EQ(spec.systems[0].variant, "lambda=0.2,commit=late");
  EXPECT_EQ(spec.systems[0].overrides[0].key, "pard.lambda");
  EXPECT_EQ(spec.systems[1].variant, "plain");
}

TEST(ExperimentSpec, SetTakesNestedTablesToo) {
  const ExperimentSpec spec = parse(kSmallest + "set.serving.commit = \"late\"\n");
  ASSERT_EQ(spec.systems[0].overrides.size(), 1U);
  EXPECT_EQ(spec.systems[0].overrides[0].key, "serving.commit");
}

TEST(ExperimentSpec, OverridesReplaceAndAddValues) {
  const ExperimentSpec spec =
      parse(kSmallest, {"cluster.workers=12", "workload.seeds=[5, 6]", "serving.commit=late",
                        "pard.lambda = 0.3", "workload.traces=[\"wiki\"]", "module.eye_tracking.batch=3"});
  EXPECT_EQ(spec.base.cluster.workers, 12);
  EXPECT_EQ(spec.workload.seeds, (std::vector<std::uint64_t>{5, 6}));
  EXPECT_EQ(spec.base.serving.commit, Commit::kLate);
  EXPECT_EQ(spec.base.modules.at("eye_tracking").batch, 3);
  EXPECT_EQ(spec.traces.count("wiki"), 1U);
  ASSERT_EQ(spec.base.system_params.size(), 1U);
  EXPECT_EQ(text_of(spec.base.system_params[0].value), "0.3");
}

TEST(ExperimentSpec, EffectiveTextReadsBackTheSame) {
  const ExperimentSpec spec =
      parse(kSmallest +
                "set = { \"serving.commit\" = \"late\" }\n[[sweep]]\nkey = \"pard.lambda\"\n"
                "values = [0.1, 0.2]\n[trace.\"odd name\"]\nshape = \"step\"\n",
            {"cluster.workers=12", "workload.traces=['tweet', 'odd name']", "name='a \"quoted\" name'"});
  const ExperimentSpec again = parse(spec.text);
  EXPECT_EQ(again.name, "a \"quoted\" name");
  EXPECT_EQ(again.base.cluster.workers, 12);
  EXPECT_EQ(again.systems[0].overrides[0].key, "serving.commit");
  EXPECT_EQ(again.sweeps[0].values.size(), 2U);
  EXPECT_EQ(parse(spec.text, {"cluster.workers=12"}).text, spec.text);
}

TEST(ExperimentSpec, SetReplacesTheValuesOfASweep) {
  const std::string swept = kSmallest +
                            "[[sweep]]\nkey = \"planner.sizing_factor\"\nvalues = [1.0, 1.5, 2.0]\n" +
                            "[[sweep]]\nkey = \"live.repeat\"\nvalues = [1, 2, 3]\n";
  const auto counts = [&](const std::vector<std::string>& overrides) {
    const ExperimentSpec spec = parse(swept, overrides);
    EXPECT_EQ(parse(spec.text).sweeps[0].values, spec.sweeps[0].values);
    return std::vector<std::size_t>{spec.sweeps[0].values.size(), spec.sweeps[1].values.size()};
  };
  using Counts = std::vector<std::size_t>;
  EXPECT_EQ(counts({"live.repeat=[2]"}), (Counts{3, 1}));
  EXPECT_EQ(counts({"live.repeat=2"}), (Counts{3, 1}));
  EXPECT_EQ(counts({"planner.sizing_factor=[1, 3]", "live.repeat=[5, 6, 7, 8]"}), (Counts{2, 4}));
  EXPECT_EQ(counts({"cluster.workers=12"}), (Counts{3, 3}));
  EXPECT_EQ(error_of(swept, {"live.repeat=[0]"}).rfind("--set: live.repeat: found 0", 0), 0U);
  for (const char* values : {"[]", "[1,1]", "{a=1}"})
    EXPECT_EQ(error_of(swept, {"planner.sizing_factor=[2]", std::string("live.repeat=") + values})
                  .rfind("--set: live.repeat: ", 0),
              0U)
        << values;
}

TEST(ExperimentSpec, ErrorsNameFileLineKeyAndNearestName) {
  EXPECT_EQ(error_of(kSmallest + "[planner]\nsizing_facto = 2\n").substr(0, 93),
            "exp/test.toml:7: planner.sizing_facto: found unknown key 'sizing_facto', did you mean 'sizing");
  EXPECT_EQ(error_of(kSmallest + "[cluster]\nworkers = 0\n"),
            "exp/test.toml:7: cluster.workers: found 0; allowed: an integer from 1 to 1000000");
  EXPECT_EQ(error_of(kSmallest, {"cluster.workers=0"}),
            "--set: cluster.workers: found 0; allowed: an integer from 1 to 1000000");
  EXPECT_EQ(error_of("a = \n").rfind("exp/test.toml:1: ", 0), 0U);
  EXPECT_EQ(error_of("a = \n").find('\n'), std::string::npos);
}

TEST(ExperimentSpec, ATraceThatIsNotUsedIsAnError) {
  const std::string unused = kSmallest + "[trace.twet]\nshape = \"tweet\"\n";
  const std::string what =
      "trace.twet: found a trace that workload.traces does not name, did you mean 'tweet'?";
  EXPECT_EQ(error_of(unused), "exp/test.toml:6: " + what + "; allowed: tweet");
  EXPECT_EQ(error_of(kSmallest, {"trace.twet.shape=tweet"}), "--set: " + what + "; allowed: tweet");
  // A list given by --set may leave out some of the file's traces, but not those that --set changes.
  const ExperimentSpec fewer = parse(unused, {"workload.traces=wiki"});
  EXPECT_EQ(fewer.traces.size(), 1U);
  EXPECT_EQ(parse(fewer.text).traces.count("wiki"), 1U);
  EXPECT_NE(error_of(unused, {"workload.traces=[\"wiki\"]", "trace.twet.cv=3"}), "no error");
}

TEST(ExperimentSpec, ErrorsOfATraceNameTheFieldsPlace) {
  const std::string text = kSmallest + "[trace.tweet]\ncompress = 2\nduration_s = 0\n";
  EXPECT_EQ(error_of(kSmallest, {"workload.duration_s=0"}).rfind("--set: workload.duration_s: found", 0), 0U);
  EXPECT_EQ(error_of(text).rfind("exp/test.toml:8: trace.tweet.duration_s: found", 0), 0U) << error_of(text);
}

TEST(ExperimentSpec, KeysOfManyPartsAreRefusedBeforeTheyNest) {
  const auto parts = [](int count, const std::string& dot) {
    std::string key;
    for (int i = 0; i < count; ++i) key += "a" + dot;
    return key + "a";
  };
  for (const std::string dot : {".", " . ", ".\"b\"."}) {
    EXPECT_EQ(
        error_of("x = 1\n" + parts(200'000, dot) + " = 1\n").rfind("exp/test.toml:2: found a dotted key", 0),
        0U);
    EXPECT_EQ(error_of("[" + parts(200'000, dot) + "]\n").rfind("exp/test.toml:1: found a dotted key", 0),
              0U);
    EXPECT_EQ(error_of("x = { " + parts(200'000, dot) + " = 1 }\n").rfind("exp/test.toml:1: ", 0), 0U);
  }
  EXPECT_EQ(error_of(kSmallest, {parts(200'000, ".") + "=1"}).rfind("--set: found a dotted key", 0), 0U);
  std::string loads;
  for (int i = 0; i < 300; ++i) loads += "0." + std::to_string(100 + i) + ", ";
  EXPECT_NO_THROW(parse("# " + std::string(200, '.') + "\n" + kSmallest, {"workload.loads=[" + loads + "]"}));
}

TEST(ExperimentSpec, EveryShippedExperimentIsAccepted) {
  int experiments = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator("experiments")) {
    const std::string file = entry.path().string();
    if (entry.path().extension() != ".toml" || entry.path().filename() == "claims.toml") continue;
    if (read_file(file).find("[[knob]]") != std::string::npos) continue;  // of harness fit
    std::vector<std::string> files;
    EXPECT_NO_THROW(files = experiment_files(file).files) << file;
    for (const std::string& one : files) EXPECT_NO_THROW(load_experiment(one, {})) << one;
    ++experiments;
  }
  EXPECT_GE(experiments, 4);
}

TEST(ExperimentSpec, AnUnknownKeyAtTheTopIsToldEachNameOnce) {
  const std::string error = error_of("base = 1\n" + kSmallest);
  EXPECT_NE(error.find("allowed: name, runtime, cell_limit_s, figures, workload, trace,"), std::string::npos)
      << error;
}

TEST(ExperimentSpec, FiguresAreKeptAndCheckedAgainstTheirCatalogue) {
  const ExperimentSpec spec = parse("figures = [\"pard/fig8\", \"pard/fig9\"]\n" + kSmallest);
  EXPECT_EQ(names_of(spec.figures), (std::vector<std::string>{"pard/fig8", "pard/fig9"}));
  EXPECT_NE(spec.text.find("pard/fig8"), std::string::npos);
  EXPECT_EQ(error_of("figures = [1]\n" + kSmallest),
            "exp/test.toml:1: figures: found 1; allowed: strings that are not empty");
  const std::string catalogue = ::testing::TempDir() + "/catalogue.txt";
  std::ofstream(catalogue) << "pard/fig8\tgoodput\npard/fig10\twhy\n";
  const std::string error = refusal_of([&] { check_figures(spec, catalogue); });
  EXPECT_EQ(error.rfind("exp/test.toml:1: figures: found unknown figure 'pard/fig9'", 0), 0U) << error;
  EXPECT_NO_THROW(check_figures(parse("figures = \"pard/fig10\"\n" + kSmallest), catalogue));
}

TEST(ExperimentSpec, PathsStartAtTheFileAndDataMayBeElsewhere) {
  EXPECT_EQ(resolve_path("exp", "traces/a.csv"), "exp/traces/a.csv");
  EXPECT_EQ(resolve_path("exp/pard", "../traces/./a.csv"), "exp/traces/a.csv");
  EXPECT_EQ(resolve_path(".", "a.csv"), "a.csv");
  EXPECT_EQ(resolve_path("exp", "/data/a.csv"), "/data/a.csv");
  setenv("HARNESS_DATA", "/somewhere/else/..", 1);
  EXPECT_EQ(resolve_path("exp", "$HARNESS_DATA/traces/a.csv"), "/somewhere/traces/a.csv");
  unsetenv("HARNESS_DATA");
  const std::string standard = resolve_path("exp", "$HARNESS_DATA/a.csv");
  EXPECT_TRUE(standard.ends_with("/shared/data/a.csv")) << standard;
  EXPECT_EQ(standard.find(".."), std::string::npos) << standard;
}

/// Returns an experiment with these seeds.
std::string with_seeds(const std::string& seeds) {
  return "[workload]\npipelines = [\"tm\"]\ntraces = [\"poisson\"]\nseeds = " + seeds +
         "\n[[system]]\nname = \"pard\"\n";
}

// Drawn around every power of two that a TOML integer can reach: kept exactly, or refused.
TEST(Seeds, AreNeverRounded) {
  std::mt19937_64 random(25);
  constexpr int kBits = 63;
  constexpr int kTries = 20;
  for (int bits = 1; bits <= kBits; ++bits) {
    for (int i = 0; i < kTries; ++i) {
      const std::uint64_t seed = (std::uint64_t{1} << bits) - 3 + random() % 6;
      const std::string text = std::to_string(seed);
      for (const bool set : {false, true}) {
        const auto read = [&] {
          return set ? parse(with_seeds("[1]"), {"workload.seeds=[" + text + "]"})
                     : parse(with_seeds("[" + text + "]"));
        };
        if (seed <= (std::uint64_t{1} << 53)) {
          EXPECT_EQ(read().workload.seeds, std::vector<std::uint64_t>{seed}) << text;
        } else {
          EXPECT_TRUE(holds(refusal_of(read), set ? "--set: workload.seeds: " : "exp/test.toml:4: ", text))
              << text;
        }
      }
    }
  }
}

TEST(Seeds, AddedOnesAreWithinTheLimitToo) {
  const std::string repeat = "[repeat_until]\nmetric = \"drop_rate\"\nhalf_width = 0.1\nmax_seeds = 2\n";
  EXPECT_EQ(parse(with_seeds("[9007199254740991]") + repeat).workload.added_seeds,
            std::vector<std::uint64_t>{9007199254740992});
  EXPECT_TRUE(holds(error_of(with_seeds("[9007199254740992]") + repeat), "max_seeds", "2^53"));
}

}  // namespace
}  // namespace harness
