#include "harness/experiment/reading/fault_reader.h"

#include <gtest/gtest.h>

#include "harness/experiment/cells/cell_factory.h"
#include "harness/experiment/cells/test_experiment_text.h"
#include "harness/experiment/reading/experiment_spec.h"

namespace harness {
namespace {

const std::string kSixteenGpus = R"([workload]
pipelines = ["tm"]
traces = ["poisson"]
duration_s = 10
[cluster]
workers = 16
[[system]]
name = "naive"
)";

/// Returns the message that refuses one fault with these keys, in the file or on the cluster of 16.
std::string error_of_fault(const std::string& keys) {
  return error_of_cells(kSixteenGpus + "[[fault]]\n" + keys);
}

constexpr const char* kTimes = "at_s = 1\nfor_s = 2\n";

TEST(Faults, AllKindsAreReadAndReachTheRun) {
  const ExperimentSpec spec = parse(kSixteenGpus + R"([[fault]]
kind = "stop"
at_s = 0
for_s = 0.25
gpu = 15
[[fault]]
kind = "slow"
at_s = 1.5
for_s = 10
gpus = [2, 4]
factor = 2.5
[[fault]]
kind = "delay"
at_s = 2
for_s = 1
gpus = [0, 15]
delay_ms = 0.5
[[fault]]
kind = "loss"
at_s = 3
for_s = 1
gpu = 0
)");
  CellFactory factory(spec, "b");
  const Cell& cell = factory.cells().front();
  const std::vector<Fault> faults = factory.make_run(factory.prepare(cell)).faults;
  ASSERT_EQ(faults.size(), 4U);
  EXPECT_EQ(faults[0].kind, FaultKind::kStop);
  EXPECT_EQ(faults[0].at_ns, 0);
  EXPECT_EQ(faults[0].for_ns, 250 * kNsPerMs);
  EXPECT_EQ(faults[0].first_gpu, 15);
  EXPECT_EQ(faults[0].gpus, 1);
  EXPECT_EQ(faults[1].kind, FaultKind::kSlow);
  EXPECT_EQ(faults[1].at_ns, 1500 * kNsPerMs);
  EXPECT_EQ(faults[1].first_gpu, 2);
  EXPECT_EQ(faults[1].gpus, 3);
  EXPECT_EQ(faults[1].factor, 2.5);
  EXPECT_EQ(faults[2].kind, FaultKind::kDelay);
  EXPECT_EQ(faults[2].gpus, 16);
  EXPECT_EQ(faults[2].delay_ns, 500 * kNsPerUs);
  EXPECT_EQ(faults[3].kind, FaultKind::kLoss);
}

TEST(Faults, TheirTablesReadBackAsTheSame) {
  const std::vector<Fault> faults = {{FaultKind::kStop, 1, 1'234'567'890'123, 3, 1, 1, 0},
                                     {FaultKind::kSlow, kNsPerS / 3, kNsPerS, 0, 16, 1.1, 0},
                                     {FaultKind::kDelay, 0, 7, 4, 2, 1, 1'000'001},
                                     {FaultKind::kLoss, 0, 7, 4, 2, 1, 0}};
  const std::vector<FaultAt> read = parse(kSixteenGpus + fault_tables(faults)).base.faults;
  ASSERT_EQ(read.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(read[i].fault.kind, faults[i].kind);
    EXPECT_EQ(read[i].fault.at_ns, faults[i].at_ns);
    EXPECT_EQ(read[i].fault.for_ns, faults[i].for_ns);
    EXPECT_EQ(read[i].fault.first_gpu, faults[i].first_gpu);
    EXPECT_EQ(read[i].fault.gpus, faults[i].gpus);
    EXPECT_EQ(read[i].fault.factor, faults[i].factor);
    EXPECT_EQ(read[i].fault.delay_ns, faults[i].delay_ns);
  }
}

TEST(Faults, MistakesAreNamed) {
  struct Case {
    std::string keys;
    const char* key;
    const char* found;
  };
  const std::string times = kTimes;
  const std::vector<Case> cases = {
      {times + "gpu = 1\n", "fault.kind", "missing"},
      {times + "kind = \"crash\"\ngpu = 1\n", "fault.kind", "\"crash\""},
      {"kind = \"stop\"\nfor_s = 1\ngpu = 1\n", "fault.at_s", "missing"},
      {"kind = \"stop\"\nat_s = -1\nfor_s = 1\ngpu = 1\n", "fault.at_s", "-1"},
      {"kind = \"stop\"\nat_s = 1\ngpu = 1\n", "fault.for_s", "missing"},
      {"kind = \"stop\"\nat_s = 1\nfor_s = 0\ngpu = 1\n", "fault.for_s", "0"},
      {times + "kind = \"stop\"\n", "fault.gpu", "missing"},
      {times + "kind = \"stop\"\ngpu = 1\ngpus = [1, 2]\n", "fault.gpu", "both"},
      {times + "kind = \"stop\"\ngpu = 1.5\n", "fault.gpu", "1.5"},
      {times + "kind = \"stop\"\ngpu = [1, 2]\n", "fault.gpu", "an array"},
      {times + "kind = \"stop\"\ngpus = [5, 2]\n", "fault.gpus", "5, 2"},
      {times + "kind = \"stop\"\ngpus = [1, 2, 3]\n", "fault.gpus", "1, 2, 3"},
      {times + "kind = \"stop\"\ngpus = 3\n", "fault.gpus", "3"},
      {times + "kind = \"stop\"\ngpu = 16\n", "fault.gpu", "GPU 16 of a cluster of 16"},
      {times + "kind = \"stop\"\ngpus = [8, 16]\n", "fault.gpu", "GPU 16 of a cluster of 16"},
      {times + "kind = \"slow\"\ngpu = 1\n", "fault.factor", "missing"},
      {times + "kind = \"slow\"\ngpu = 1\nfactor = 0.9\n", "fault.factor", "0.9"},
      {times + "kind = \"stop\"\ngpu = 1\nfactor = 2\n", "fault.factor", "kind \"stop\""},
      {times + "kind = \"delay\"\ngpu = 1\n", "fault.delay_ms", "missing"},
      {times + "kind = \"delay\"\ngpu = 1\ndelay_ms = \"long\"\n", "fault.delay_ms", "\"long\""},
      {times + "kind = \"loss\"\ngpu = 1\ndelay_ms = 2\n", "fault.delay_ms", "kind \"loss\""},
      {times + "kind = \"stop\"\ngpu = 1\nduration_s = 2\n", "fault.duration_s", "duration_s"},
      {times + "kind = \"stop\"\ngpus = [1, 2]\ncount = 2\n", "fault.count", "beside gpus"},
      {times + "kind = \"stop\"\ngpu = 1\ncount = 0\n", "fault.count", "0"},
      {times + "kind = \"stop\"\ngpu = 8\ncount = 9\n", "fault.gpu", "GPU 16 of a cluster of 16"},
      {times + "kind = \"stop\"\ngpu = 1\non = 1\n", "fault.on", "1"},
      {times + "kind = \"stop\"\ngpu = 1\nname = 1\n", "fault.name", "1"},
      {times + "kind = \"stop\"\ngpu = 1\nname = \"a b\"\n", "fault.name", "\"a b\""},
  };
  for (const Case& one : cases) {
    const std::string line = error_of_fault(one.keys);
    EXPECT_NE(line.find(one.key), std::string::npos) << one.keys << line;
    EXPECT_NE(line.find(one.found), std::string::npos) << one.keys << line;
    EXPECT_NE(line.find("exp/test.toml:"), std::string::npos) << one.keys << line;
    EXPECT_EQ(line.find('\n'), std::string::npos) << line;
  }
  EXPECT_EQ(error_of_fault(times + "kind = \"stop\"\ngpus = [8, 15]\n"), "no error");
}

}  // namespace
}  // namespace harness
