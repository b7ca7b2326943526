#include "workloads/catalogue/measured_profile.h"

#include <gtest/gtest.h>

#include <string>

#include "harness/core/input_error.h"
#include "harness/core/random_stream.h"
#include "harness/core/test_refusal.h"
#include "workloads/catalogue/profile_set.h"

namespace harness {
namespace {

MeasuredProfile::Latency latency(int batch, TimeNs median_ns) {
  return {batch,
          median_ns,
          median_ns - median_ns / 10,
          median_ns + median_ns / 9,
          median_ns + median_ns / 3,
          median_ns / 100,
          median_ns + median_ns / 50};
}

MeasuredSet one(std::vector<MeasuredProfile::Latency> sizes) {
  MeasuredProfile profile;
  profile.model = "resnet50";
  profile.memory_mb = 102.2;
  profile.load_ns = 123'456'789;
  profile.sizes = std::move(sizes);
  profile.repeats = 40;
  profile.stopped_by = "narrow";
  MeasuredSet set{"measured", "cpu", "harness profile", {profile}};
  return set;
}

TEST(MeasuredProfiles, AreReadBackToTheSameLatencies) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    RandomStream random(seed, "profiles");
    MeasuredSet set = one({});
    set.profiles.push_back(set.profiles.front());
    set.profiles.back().model = "lenet";
    for (MeasuredProfile& profile : set.profiles) {
      const std::uint64_t longest = std::uint64_t{1} << (4 + random.below(40));
      for (int batch = 1; batch <= 64; batch += 1 + static_cast<int>(random.below(9)))
        profile.sizes.push_back(latency(batch, static_cast<TimeNs>(1 + random.below(longest))));
    }
    const ProfileSet read = parse_profiles("p.toml", text_of(set));
    ASSERT_EQ(read.profiles.size(), 2U);
    for (const MeasuredProfile& profile : set.profiles) {
      const Profile& back = read.profiles.at(profile.model);
      EXPECT_EQ(back.max_batch(), profile.sizes.back().batch);
      for (const MeasuredProfile::Latency& size : profile.sizes)
        EXPECT_EQ(back.latency(size.batch), size.median_ns);
    }
  }
}

TEST(MeasuredProfiles, KeepEverythingElse) {
  MeasuredSet set = one({latency(1, 2'000'000), latency(3, 4'000'000)});
  set.profiles[0].fit = MeasuredProfile::Fit{1, 1, 0.5, 0.25, 3};
  set.profiles[0].exit_points = MeasuredProfile::ExitPoints{46, 0.03, 0.01, 90'000};
  set.profiles[0].handover_ns = 70'000;
  set.profiles[0].precision = Precision::kBf16;
  set.profiles[0].notes = {"the clock is not visible", "two"};
  const std::string text = text_of(set);
  const ProfileSet read = parse_profiles("p.toml", text);
  const Profile& profile = read.profiles.at("resnet50");
  EXPECT_EQ(read.description, "measured");
  EXPECT_EQ(profile.device, "cpu");
  EXPECT_EQ(profile.source, "harness profile");
  EXPECT_EQ(profile.memory_mb, 102.2);
  EXPECT_EQ(profile.load_ns, 123'456'789);
  EXPECT_EQ(profile.handover_ns, 70'000);
  EXPECT_EQ(profile.precision, Precision::kBf16);
  // Between the measured sizes the reader draws straight lines.
  EXPECT_EQ(profile.latency(2), 3'000'000);
  for (const char* line :
       {"exit_points = 46\n", "half_width_ms = [0.02, 0.04]\n", "p10_ms = [1.8, 3.6]\n",
        "mean_ms = [2.04, 4.08]\n", "fit_largest_error_batch = 3\n", "exit_overhead = 0.03\n",
        "repeats = 40\n", "preemption_delay_p99_ms = 0.09\n", "  \"two\",\n"})
    EXPECT_NE(text.find(line), std::string::npos) << line << text;
}

TEST(MeasuredProfiles, SayTheirPrecisionWhereTheyWereMeasuredHere) {
  const std::string begin = "device = 'd'\n[[profile]]\nmodel = 'm'\nlatency_ms = [1, 2]\n";
  const auto read = [&begin](const std::string& end) {
    return parse_profiles("p.toml", begin + end).profiles.at("m").precision;
  };
  EXPECT_EQ(read(""), std::nullopt) << "a paper's";
  EXPECT_EQ(read("[profile.measured]\nrepeats = 3\n"), Precision::kFp32) << "before there was a choice";
  for (const Precision precision : {Precision::kFp32, Precision::kFp16, Precision::kBf16})
    EXPECT_EQ(read("[profile.measured]\nprecision = '" + std::string(name_of(precision)) + "'\n"), precision);
}

// Two devices measured into one set, the second with a model more.
TEST(MeasuredProfiles, OfSeveralDevicesStandInOneSet) {
  MeasuredSet cpu = one({latency(1, 9'000'000), latency(2, 17'000'000)});
  cpu.device = "cpu";
  MeasuredSet gpu = one({latency(1, 2'000'000), latency(4, 5'000'000)});
  gpu.device = "a \"GPU\"";
  gpu.source = "measured later";
  gpu.profiles.push_back(gpu.profiles.front());
  gpu.profiles.back().model = "lenet";
  const std::string before = text_of(cpu) + "# mine, without an end of line";
  const std::string text = added_text("p.toml", before, gpu);
  EXPECT_TRUE(text.starts_with(before));
  const ProfileSet set = parse_profiles("p.toml", text);
  ASSERT_EQ(set.devices.size(), 2U);
  EXPECT_EQ(set.description, "measured");
  EXPECT_EQ(set.devices.at("cpu").size(), 1U);
  EXPECT_EQ(set.devices.at("cpu").at("resnet50").latency(2), 17'000'000);
  EXPECT_EQ(set.devices.at("cpu").at("resnet50").source, "harness profile");
  ASSERT_EQ(set.devices.at(gpu.device).size(), 2U);
  EXPECT_EQ(set.devices.at(gpu.device).at("resnet50").latency(1), 2'000'000);
  EXPECT_EQ(set.devices.at(gpu.device).at("lenet").max_batch(), 4);
  EXPECT_EQ(set.devices.at(gpu.device).at("lenet").source, "measured later");
  EXPECT_EQ(refusal_of([&] { added_text("p.toml", text, cpu); }).rfind("p.toml:", 0), 0U);
  EXPECT_THROW(added_text("p.toml", "pipelines = 3\n", gpu), InputError);
}

TEST(MeasuredProfiles, TakeAnyTextInNames) {
  MeasuredSet set = one({latency(1, 1'000'000)});
  set.description = "a \"quoted\" \\ text\nof two lines\x01";
  set.profiles[0].notes = {"tab\t and \x7f"};
  const ProfileSet read = parse_profiles("p.toml", text_of(set));
  EXPECT_EQ(read.description, set.description);
}

TEST(MeasuredProfiles, LeaveOutHalfWidthsThatAreNotKnown) {
  MeasuredSet set = one({latency(1, 1'000'000), latency(2, 1'500'000)});
  set.profiles[0].sizes[1].half_width_ns.reset();
  const std::string text = text_of(set);
  EXPECT_EQ(text.find("half_width_ms"), std::string::npos);
  EXPECT_EQ(parse_profiles("p.toml", text).profiles.size(), 1U);
}

struct BadMeasured {
  const char* text;     ///< end of the file, after latency_ms of two sizes
  const char* message;  ///< part of the line that must come
};

TEST(MeasuredProfiles, GiveOneClearLineWhenTheyAreWrong) {
  const BadMeasured all[] = {
      {"[profile.measured]\nrepeat = 3\n", "p.toml:6: profile.measured.repeat: found unknown key"},
      {"[profile.measured]\nrepeats = 0\n", "p.toml:6: profile.measured.repeats: found 0"},
      {"[profile.measured]\np10_ms = [1]\n", "p10_ms: found 1 entries; allowed: 2"},
      {"[profile.measured]\np90_ms = [1, -1]\n", "p90_ms: found -1"},
      {"[profile.measured]\np10_ms = [1, 3]\np90_ms = [2, 2]\n",
       "p90_ms: found 2 below the smaller quantile 3"},
      {"[profile.measured]\np90_ms = [1, 3]\np99_ms = [0.5, 3]\n", "p99_ms: found 0.5 below"},
      {"[profile.measured]\nnotes = \"one\"\n", "notes: found"},
      {"[profile.measured]\nfit_r2 = nan\n", "fit_r2: found nan"},
      {"[profile.measured]\nprecision = \"fp8\"\n",
       "p.toml:6: profile.measured.precision: found \"fp8\"; allowed: one of fp32, fp16, bf16"},
      {"measured = 3\n", "measured: found 3; allowed: a table"},
  };
  for (const BadMeasured& bad : all) {
    const std::string text =
        std::string("device = 'd'\n[[profile]]\nmodel = 'm'\nlatency_ms = [1, 2]\n") + bad.text;
    try {
      parse_profiles("p.toml", text);
      ADD_FAILURE() << "accepted: " << text;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(bad.message), std::string::npos) << error.what();
    }
  }
  EXPECT_THROW(parse_profiles("p.toml",
                              "device='d'\n[[profile]]\nmodel='m'\nalpha_ms=1\nbeta_ms=1\nmax_batch=2\n"
                              "[profile.measured]\nrepeats=3\n"),
               InputError);
}

}  // namespace
}  // namespace harness
