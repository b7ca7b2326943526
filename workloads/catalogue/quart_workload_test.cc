// QUART's models, its Table 1: whole, in eight stages, and BERT-21B in five.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "workloads/catalogue/pipeline_file.h"
#include "workloads/catalogue/profile_set.h"

namespace harness {
namespace {

struct TableRow {
  const char* pipeline;
  const char* model;
  double size_gb;
  double exec_ms;
  int gpus;        ///< number of GPUs of 48 GB
  double stage_s;  ///< time to load a stage of eight from disk, to 0.05 s
};

constexpr TableRow kTable1[] = {{"quart-whisper", "whisper-9b", 2.9, 74, 1, 0.4},
                                {"quart-bert", "bert-21b", 43, 137, 1, 5.6},
                                {"quart-llama", "llama-7b", 14, 243, 1, 1.8},
                                {"quart-opt", "opt-66b", 132, 278, 3, 17.3},
                                {"quart-wideresnet", "wideresnet", 16, 646, 1, 2.1}};

TEST(QuartWorkload, StagesAddUpToTheModel) {
  const ProfileSet profiles = load_profiles("quart");
  double all_gb = 0;
  for (const TableRow& row : kTable1) {
    const Pipeline pipeline = load_pipeline(row.pipeline);
    ASSERT_EQ(pipeline.modules.size(), 8U) << row.pipeline;
    EXPECT_TRUE(pipeline.is_chain());
    EXPECT_EQ(pipeline.slo_ns, ms_to_ns(2 * row.exec_ms));
    double exec_ms = 0;
    double memory_mb = 0;
    for (const Module& module : pipeline.modules) {
      const Profile& stage = profiles.profiles.at(module.model);
      EXPECT_EQ(stage.max_batch(), 1);
      EXPECT_EQ(stage.gpus, 1);
      EXPECT_NEAR(ns_to_s(stage.load_ns), row.stage_s, 0.05) << row.model;
      exec_ms += ns_to_ms(stage.latency(1));
      memory_mb += stage.memory_mb;
    }
    EXPECT_NEAR(exec_ms, row.exec_ms, 1e-5);
    EXPECT_NEAR(memory_mb, 1000 * row.size_gb, 1e-6);
    all_gb += memory_mb / 1000;

    const Pipeline whole = load_pipeline(std::string(row.pipeline) + "-whole");
    ASSERT_EQ(whole.modules.size(), 1U);
    EXPECT_EQ(whole.slo_ns, pipeline.slo_ns);
    const Profile& model = profiles.profiles.at(whole.modules[0].model);
    EXPECT_EQ(model.model, row.model);
    EXPECT_EQ(model.latency(1), ms_to_ns(row.exec_ms));
    EXPECT_DOUBLE_EQ(model.memory_mb, 1000 * row.size_gb);
    EXPECT_EQ(model.gpus, row.gpus);
    EXPECT_EQ(model.gpus, std::ceil(row.size_gb / 48));
  }
  EXPECT_NEAR(all_gb, 207.9, 1e-6) << "all five in a server's memory";
}

TEST(QuartWorkload, AllSideBySide) {
  const Pipeline all = load_pipeline("quart-all");
  const Pipeline whole = load_pipeline("quart-all-whole");
  ASSERT_EQ(all.modules.size(), 40U);
  ASSERT_EQ(whole.modules.size(), 5U);
  EXPECT_TRUE(all.independent && all.is_chain());
  EXPECT_EQ(entries_in(all), (std::vector<ModuleId>{0, 8, 16, 24, 32}));
  EXPECT_EQ(entries_in(whole), (std::vector<ModuleId>{0, 1, 2, 3, 4}));
  for (std::size_t row = 0; row < 5; ++row) {
    const Pipeline alone = load_pipeline(kTable1[row].pipeline);
    for (std::size_t stage = 0; stage < 8; ++stage) {
      const Module& module = all.modules[8 * row + stage];
      EXPECT_EQ(module.model, alone.modules[stage].model);
      const auto next = static_cast<ModuleId>(8 * row + stage + 1);
      EXPECT_EQ(module.subs, stage < 7 ? std::vector<ModuleId>{next} : std::vector<ModuleId>{});
    }
    EXPECT_EQ(whole.modules[row].model, kTable1[row].model);
    EXPECT_LE(alone.slo_ns, all.slo_ns);
  }
}

TEST(QuartWorkload, BertInFive) {
  const ProfileSet profiles = load_profiles("quart");
  const Pipeline pipeline = load_pipeline("quart-bert-5");
  ASSERT_EQ(pipeline.modules.size(), 5U);
  const Profile& stage = profiles.profiles.at(pipeline.modules[4].model);
  EXPECT_EQ(stage.latency(1), ms_to_ns(27.4));
  EXPECT_DOUBLE_EQ(stage.memory_mb, 8600);
  EXPECT_EQ(load_profiles("quart").profiles.at("bert-21b").load_ns, 45 * kNsPerS) << "section 2.2";
}

TEST(QuartWorkload, BatchedStagesAreTheSameWithAQuarterForEachFurtherRequest) {
  const ProfileSet single = load_profiles("quart");
  for (const auto& [model, batched] : load_profiles("quart-batched").profiles) {
    const Profile& one = single.profiles.at(model);
    for (int batch = 1; batch <= batched.max_batch(); ++batch)
      EXPECT_EQ(batched.latency(batch), one.latency(1) * (batch + 3) / 4) << model;
    EXPECT_EQ(batched.load_ns, one.load_ns);
    EXPECT_EQ(batched.cpu_ns, one.cpu_ns);
    EXPECT_EQ(batched.cores, one.cores);
    EXPECT_EQ(batched.memory_mb, one.memory_mb);
  }
}

TEST(QuartWorkload, FourCoresTakeAThirdOffTwo) {
  for (const auto& [model, profile] : load_profiles("quart").profiles) {
    const auto two = static_cast<double>(latency_with_cores(profile, 1, 2));
    EXPECT_EQ(latency_with_cores(profile, 1, 2), profile.latency(1)) << model;
    EXPECT_NEAR(static_cast<double>(latency_with_cores(profile, 1, 4)) / two, 0.67, 1e-6) << "section 3.4";
  }
}

}  // namespace
}  // namespace harness
