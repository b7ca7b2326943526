#include "harness/cli/profile_jobs.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include "harness/cli/exit_point_average.h"
#include "harness/cli/profile_report.h"
#include "harness/core/input_error.h"
#include "harness/core/test_refusal.h"
#include "workloads/catalogue/profile_set.h"

namespace harness {
namespace {

ProfileOptions options() {
  ProfileOptions result;
  result.device = "null";
  result.output = testing::TempDir() + "/profile_jobs.toml";
  return result;
}

// PARD's pipelines: tm has three models, lv five modules with five models; ga uses ResNet-50 twice.
TEST(ProfileJobs, TakeEachModelOfAPipelineOnceWithItsImages) {
  ProfileOptions wanted = options();
  wanted.pipelines = {"tm"};
  const ProfileJobs tm = profile_jobs(wanted);
  ASSERT_EQ(tm.jobs.size(), 3U);
  EXPECT_EQ(tm.jobs[0].source.model, "rcnn");
  EXPECT_EQ(tm.jobs[0].params.image_height, 480);
  EXPECT_EQ(tm.jobs[0].params.image_width, 640);
  EXPECT_EQ(tm.jobs[1].params.image_height, 224);
  EXPECT_EQ(tm.jobs[2].params.image_width, 299);
  // In a chain each module leaves the next one's image, the last nothing.
  EXPECT_EQ(tm.jobs[0].source.output_bytes, 3U * 224 * 224);
  EXPECT_EQ(tm.jobs[1].source.output_bytes, 3U * 299 * 299);
  EXPECT_EQ(tm.jobs[2].source.output_bytes, 0U);
  wanted.pipelines = {"ga"};
  EXPECT_EQ(profile_jobs(wanted).jobs.size(), 4U);
  wanted.pipelines = {"ga", "tm"};
  EXPECT_EQ(profile_jobs(wanted).jobs.size(), 5U) << "and inception_v3";
  wanted.pipelines = {"ga"};
  wanted.models = {"lenet", "resnet50"};
  EXPECT_EQ(profile_jobs(wanted).jobs.size(), 5U);
  wanted.image = "32x48";
  for (const ProfileJob& job : profile_jobs(wanted).jobs) {
    EXPECT_EQ(job.params.image_height, 32) << job.source.model;
    EXPECT_EQ(job.params.image_width, 48) << job.source.model;
  }
}

TEST(ProfileJobs, FollowTheOptions) {
  ProfileOptions wanted = options();
  wanted.models = {"a"};
  wanted.max_batch = 6;
  wanted.exit_points = "all";
  wanted.input = "10x20";
  wanted.half_width = 0.1;
  wanted.precision = "bf16";
  wanted.limit_s = 2;
  wanted.seed = 9;
  const ProfileJob job = profile_jobs(wanted).jobs.at(0);
  EXPECT_EQ(job.source.precision, Precision::kBf16);
  EXPECT_EQ(job.params.batches, (std::vector<int>{1, 2, 3, 4, 6}));
  EXPECT_EQ(job.source.max_batch, 6);
  EXPECT_EQ(job.source.exit_points, kAllExitPoints);
  EXPECT_EQ(job.source.input_height, 10);
  EXPECT_EQ(job.source.input_width, 20);
  EXPECT_EQ(job.source.seed, 9U);
  EXPECT_EQ(job.params.rule.half_width, 0.1);
  EXPECT_EQ(job.params.rule.limit_ns, 2 * kNsPerS);
}

// SHEPHERD's Table 4.
TEST(ProfileJobs, TakeExitPointsFromASetOfProfiles) {
  ProfileOptions wanted = options();
  wanted.pipelines = {"tm"};
  wanted.models = {"lenet"};
  wanted.exit_points = "shepherd-v100";
  const std::map<std::string, int> expected = {
      {"lenet", 0}, {"rcnn", 51}, {"resnet50", 46}, {"inception_v3", 122}};
  const ProfileJobs jobs = profile_jobs(wanted);
  ASSERT_EQ(jobs.jobs.size(), expected.size());
  for (const ProfileJob& job : jobs.jobs)
    EXPECT_EQ(job.source.exit_points, expected.at(job.source.model)) << job.source.model;
  wanted.exit_points = "-1";
  EXPECT_THROW(profile_jobs(wanted), InputError);
}

// A module's own file runs on images of the size that it declares.
TEST(ProfileJobs, TakeAPipelinesFiles) {
  const std::string folder = testing::TempDir();
  const std::string module =
      "[[module]]\nname = 'a'\nmodel = 'mine'\ninput_size = [20, 30]\nfile = 'mine.pt'\n";
  std::ofstream(folder + "/own.toml") << "slo_ms = 100\n" + module;
  std::ofstream(folder + "/mine.pt") << "x";
  ProfileOptions wanted = options();
  wanted.pipelines = {folder + "/own.toml"};
  const ProfileJobs jobs = profile_jobs(wanted);
  ASSERT_EQ(jobs.jobs.size(), 1U);
  const ModelSource& source = jobs.jobs[0].source;
  EXPECT_EQ(source.model, "mine");
  EXPECT_EQ(std::filesystem::path(source.file).filename(), "mine.pt");
  EXPECT_EQ(source.input_height, 20);
  EXPECT_EQ(source.input_width, 30);
  EXPECT_EQ(jobs.jobs[0].params.image_width, 30);
  std::ofstream(folder + "/own.toml")
      << "slo_ms = 100\n" + module + "subs = ['b']\n" +
             "[[module]]\nname = 'b'\nmodel = 'mine'\ninput_size = [20, 30]\n";
  EXPECT_THROW(profile_jobs(wanted), InputError) << "one name for two models";
}

// A run reads the same values as were measured.
TEST(ProfileReport, IsReadBackAsItWasMeasured) {
  ProfileOptions wanted = options();
  wanted.precision = "fp16";
  wanted.models = {"m"};
  const ProfileJobs jobs = profile_jobs(wanted);
  ModelProfile profile;
  profile.model = "m";
  profile.device = jobs.device_name;
  const TimeNs medians[] = {2'000'001, 3'000'002, 9'000'003};
  for (int i = 0; i < 3; ++i) {
    TimingSummary time;
    time.repeats = 12;
    time.median_ns = medians[i];
    time.p10_ns = medians[i] - 5;
    time.p90_ns = time.p99_ns = medians[i] + 7;
    if (i < 2) time.half_width_ns = 11;
    profile.sizes.push_back({1 << i, time});
  }
  profile.load_ns = 77;
  profile.model_bytes = 12'500'000;
  profile.refused_batch = 8;
  profile.stopped_by = StoppedBy::kTime;
  profile.exit_points = ExitPointCost{};
  MeasuredSet set = measured_set(jobs);
  set.profiles.push_back(measured_profile(profile, jobs.jobs[0], {"a note"}));
  const std::string text = text_of(set);
  const Profile read = parse_profiles("p.toml", text).profiles.at("m");
  EXPECT_EQ(read.device, "null");
  EXPECT_EQ(read.precision, Precision::kFp16);
  EXPECT_EQ(read.latency(1), medians[0]);
  EXPECT_EQ(read.latency(2), medians[1]);
  EXPECT_EQ(read.latency(4), medians[2]);
  EXPECT_EQ(read.load_ns, 77);
  EXPECT_EQ(read.memory_mb, 12.5);
  EXPECT_EQ(read.source.rfind("harness profile, 20", 0), 0U) << read.source;
  EXPECT_TRUE(holds(text, "\"a note\"", "batches of 8 and more", "repeats = 12", "stopped_by = \"time\""));
  EXPECT_TRUE(holds(report_text(profile), "m on null", "stopped by the time limit after 12 rounds",
                    "batches of 8 do not fit"));
}

TEST(ProfileReport, WarnsOfWhatShouldNotBeTrusted) {
  ProfileJob job;
  job.params.rule.half_width = 0.02;
  ModelProfile profile;
  profile.model = "m";
  profile.sizes.resize(2);
  profile.sizes[0].time.median_ns = profile.sizes[1].time.median_ns = 1000;
  profile.sizes[0].time.half_width_ns = profile.sizes[1].time.half_width_ns = 20;
  EXPECT_EQ(warnings_text(profile, job, 0.09), "");
  EXPECT_EQ(warnings_text(profile, job, {}), "");
  EXPECT_TRUE(
      holds(warnings_text(profile, job, 0.31), "other processes", "took 31 % of the processors' time"));
  const std::string wide = "warning: the medians are less exact than asked for (--half-width 2.0 %)";
  profile.sizes[1].time.half_width_ns = 21;
  EXPECT_EQ(warnings_text(profile, job, {}).rfind(wide, 0), 0U);
  profile.sizes[1].time.half_width_ns.reset();  // too few repeats to know
  EXPECT_EQ(warnings_text(profile, job, {}).rfind(wide, 0), 0U);
  profile.sizes.pop_back();
  job.wants_exit_points = true;
  EXPECT_EQ(warnings_text(profile, job, {}), "warning: --exit-points changes nothing: none are known of m\n");
  profile.exit_points = ExitPointCost{};
  EXPECT_EQ(warnings_text(profile, job, {}), "");
}

TEST(ProfileReport, AveragesExitPointsOverTheModels) {
  ExitPointAverage average;
  const auto add = [&](const char* model, double overhead, double delay_share) {
    ModelProfile profile;
    profile.model = model;
    profile.exit_points = ExitPointCost{};
    profile.exit_points->overhead = overhead;
    profile.exit_points->delay_share = delay_share;
    average.add(profile);
  };
  add("a", -0.01, 0.02);
  average.add(ModelProfile{});
  EXPECT_EQ(average.text(), "") << "the report of the model says it";
  add("b", 0.03, 0.06);
  add("c", 0.01, 0.01);
  EXPECT_TRUE(holds(average.text(), "exit points of 3 models", "exit overhead +1.0 % (most: +3.0 % of b)",
                    "preemption delay 3.0 % (most: 6.0 % of b)\n"));
}

}  // namespace
}  // namespace harness
