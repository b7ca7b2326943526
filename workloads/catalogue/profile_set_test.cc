#include "workloads/catalogue/profile_set.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "harness/core/input_error.h"
#include "workloads/catalogue/nexus_profile.h"

namespace harness {
namespace {

// SHEPHERD, Table 4, and its section 7.2: "ResNet18 (~4 ms for batch size = 1, ~32 ms for batch size = 128)".
TEST(ShepherdProfiles, AreTheTable) {
  const ProfileSet set = load_profiles("shepherd-v100");
  EXPECT_EQ(set.profiles.size(), 17U);
  const Profile& resnet18 = set.profiles.at("resnet18");
  EXPECT_EQ(resnet18.max_batch(), 128);
  EXPECT_EQ(resnet18.latency(1), 3'960'000);
  EXPECT_EQ(resnet18.latency(128), 31'900'000);
  EXPECT_EQ(set.profiles.at("resnest269").latency(1), 78'570'000);
  EXPECT_EQ(set.profiles.at("bert").latency(2), 87'630'000);
  EXPECT_EQ(resnet18.device, "V100");
  EXPECT_EQ(set.checksum.size(), 64U);
}

// papers/README: yolov5n 73.0 ms at 8, 231.7 ms at 16: a quarter of the way at 10.
TEST(LokiProfiles, AreStraightBetweenTheMeasuredBatchSizes) {
  const ProfileSet set = load_profiles("loki-gtx1080ti");
  const Profile& yolo = set.profiles.at("yolov5n");
  EXPECT_EQ(yolo.max_batch(), 32);
  EXPECT_EQ(yolo.latency(8), 73'000'000);
  EXPECT_EQ(yolo.latency(10), 112'675'000);
  EXPECT_EQ(yolo.latency(16), 231'700'000);
  EXPECT_EQ(set.profiles.at("clip-vit-l14").max_batch(), 8);
}

TEST(ParseProfiles, TakesATableOfLatencies) {
  const ProfileSet set = parse_profiles("a/mine.toml",
                                        "device='T4'\n[[profile]]\nmodel='m'\nlatency_ms=[1.5, 1.25, 3]\n"
                                        "memory_mb=100\nload_ms=20\n");
  const Profile& profile = set.profiles.at("m");
  EXPECT_EQ(set.name, "mine");
  EXPECT_EQ(profile.latency_ns, (std::vector<TimeNs>{1'500'000, 1'250'000, 3'000'000}));
  EXPECT_EQ(profile.memory_mb, 100);
  EXPECT_EQ(profile.load_ns, 20 * kNsPerMs);
}

TEST(ParseProfiles, TakesGpusAndWhatCoresDo) {
  const ProfileSet set = parse_profiles("f.toml",
                                        "device='A40'\n[[profile]]\nmodel='m'\nlatency_ms=[10, 12]\ngpus=4\n"
                                        "cpu_ms=13.2\ncores=2\n[[profile]]\nmodel='n'\nlatency_ms=[1]\n");
  const Profile& profile = set.profiles.at("m");
  EXPECT_EQ(profile.gpus, 4);
  EXPECT_EQ(profile.cpu_ns, 13'200'000);
  EXPECT_EQ(profile.cores, 2);
  EXPECT_EQ(set.profiles.at("n").gpus, 1);
  EXPECT_EQ(set.profiles.at("n").cpu_ns, 0);
  EXPECT_EQ(set.profiles.at("n").cores, 0);
}

TEST(ParseProfiles, TakesGoodputAndWhoFoundIt) {
  const std::string text =
      "device='T4'\ngoodput_source='top'\n[[profile]]\nmodel='m'\nlatency_ms=[1]\ngoodput_slo_ms=[50, "
      "100.5]\n"
      "goodput_rps=[0, 250.5]\n[[profile]]\nmodel='n'\nlatency_ms=[1]\n";
  const ProfileSet set = parse_profiles("f.toml", text);
  const Profile& profile = set.profiles.at("m");
  ASSERT_EQ(profile.goodput.size(), 2U);
  EXPECT_EQ(profile.goodput[0].slo_ns, 50 * kNsPerMs);
  EXPECT_EQ(profile.goodput[0].rps, 0);
  EXPECT_EQ(profile.goodput[1].slo_ns, 100'500'000);
  EXPECT_EQ(profile.goodput[1].rps, 250.5);
  EXPECT_EQ(profile.goodput_source, "top");
  EXPECT_EQ(set.profiles.at("n").goodput_source, "");
}

TEST(ParseProfiles, TakesOverABaseAndAddsToIt) {
  const ProfileSet base = load_profiles("shepherd-v100");
  const ProfileSet set = parse_profiles("f.toml",
                                        "base='shepherd-v100'\nadd_ms_per_query=0.5\nadd_ms_per_batch=2\n"
                                        "[[profile]]\nmodel='m'\ndevice='T4'\nlatency_ms=[1]\n"
                                        "[[profile]]\nmodel='resnet18'\ndevice='T4'\nlatency_ms=[1]\n");
  EXPECT_EQ(set.name, "f");
  EXPECT_EQ(set.devices.at("V100").size(), 17U);
  EXPECT_EQ(set.devices.at("V100").at("bert").latency(2), base.profiles.at("bert").latency(2) + 3'000'000);
  EXPECT_EQ(set.profiles.at("resnet18").latency(128), base.profiles.at("resnet18").latency(128) + 66'000'000);
  EXPECT_EQ(set.profiles.at("resnet18").memory_mb, base.profiles.at("resnet18").memory_mb);
  EXPECT_EQ(set.profiles.at("resnet18").exit_points, base.profiles.at("resnet18").exit_points);
  EXPECT_EQ(set.devices.at("T4").at("m").latency(1), 1'000'000) << "of its own";
  EXPECT_EQ(set.devices.at("T4").at("resnet18").latency(1), 1'000'000);
  const ProfileSet same = parse_profiles("f.toml", "base='shepherd-v100'\n");
  EXPECT_EQ(same.profiles.at("bert").latency_ns, base.profiles.at("bert").latency_ns);
  EXPECT_EQ(same.profiles.at("bert").source, base.profiles.at("bert").source);
  EXPECT_NE(same.checksum, base.checksum);
}

// A base by its path lies beside the set; its goodput does not hold any more.
TEST(ParseProfiles, TakesABaseBesideIt) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "profile_bases";
  std::filesystem::create_directories(folder);
  const auto put = [&](const char* name, const std::string& text) {
    std::ofstream(folder / name) << text;
    return (folder / name).string();
  };
  const std::string row = "[[profile]]\nmodel='m'\nlatency_ms=[1]\ngoodput_slo_ms=[5]\ngoodput_rps=[9]\n";
  put("base.toml", "device='d'\n" + row);
  const std::string derived = put("derived.toml", "base='./base.toml'\nadd_ms_per_batch=1\n");
  const ProfileSet set = load_profiles(derived);
  EXPECT_EQ(set.profiles.at("m").latency(1), 2'000'000);
  EXPECT_TRUE(set.profiles.at("m").goodput.empty());
  put("base.toml", "device='d'\n# changed\n" + row);
  EXPECT_NE(load_profiles(derived).checksum, set.checksum);
  EXPECT_THROW(load_profiles(put("deeper.toml", "base='derived.toml'\n")), InputError);
  EXPECT_THROW(load_profiles(put("itself.toml", "base='itself.toml'\n")), InputError);
  std::filesystem::remove_all(folder);
}

// 4 bytes a parameter: torchvision counts 11,689,512 for ResNet18.
TEST(ShepherdProfiles, SayWhatEachModelTakesOfMemory) {
  const ProfileSet set = load_profiles("shepherd-v100");
  EXPECT_NEAR(set.profiles.at("resnet18").memory_mb, 11'689'512 * 4e-6, 1e-9);
  EXPECT_NEAR(set.profiles.at("bert").memory_mb, 109'482'240 * 4e-6, 1e-9);
  for (const auto& [model, profile] : set.profiles) EXPECT_GT(profile.memory_mb, 20) << model;
}

const char* const kNexus =
    "caffe:vgg16:1\nTITAN_X_(Pascal)\nForward latency\nbatch,latency(us),std(us),memory(B)\n"
    "1,6277.4,22.3,949944320\n2,14499,20.6,1061093376\n"
    "Preprocess latency\nmean(us),std(us)\n3306.44,1535.62\nPostprocess latency\nmean(us),std(us)\n1.4,1.3\n";

TEST(NexusProfile, ReadsTheForwardTable) {
  const Profile profile = parse_nexus_profile("caffe_vgg16_1.txt", kNexus);
  EXPECT_EQ(profile.model, "vgg16");
  EXPECT_EQ(profile.device, "TITAN_X_(Pascal)");
  EXPECT_EQ(profile.latency_ns, (std::vector<TimeNs>{6'277'400, 14'499'000}));
  EXPECT_NEAR(profile.memory_mb, 949.94432, 1e-9);
}

TEST(NexusProfile, ReadsTheRealFiles) {
  const char* data = std::getenv("HARNESS_DATA");
  const std::string folder = std::string(data != nullptr ? data : "../shared/data") + "/profiles";
  if (!std::filesystem::exists(folder + "/caffe_vgg16_1.txt"))
    GTEST_SKIP() << "no Nexus profiles in " << folder;
  const ProfileSet set = load_profiles(folder);
  ASSERT_EQ(set.profiles.size(), 4U);
  EXPECT_EQ(set.profiles.at("vgg16").max_batch(), 174);
  EXPECT_EQ(set.profiles.at("yolo9000").max_batch(), 24);
  EXPECT_EQ(set.profiles.at("vgg16").latency(5), 20'461'300);
  // A real step down: kernel choice changes with the batch size.
  EXPECT_LT(set.profiles.at("vgg16").latency(5), set.profiles.at("vgg16").latency(4));
  EXPECT_EQ(load_profiles(folder + "/caffe_vgg16_1.txt").profiles.size(), 1U);
}

struct BadProfile {
  const char* name;
  const char* text;
  const char* message;
};

void expect_line(const BadProfile& bad, const std::function<void(const char*)>& parse) {
  try {
    parse(bad.text);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    const std::string line = error.what();
    EXPECT_NE(line.find(bad.message), std::string::npos) << line;
    EXPECT_EQ(line.rfind("f.", 0), 0U) << line;
    EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 0);
  }
}

class BadTomlProfiles : public testing::TestWithParam<BadProfile> {};
TEST_P(BadTomlProfiles, GiveOneClearLine) {
  expect_line(GetParam(), [](const char* text) { parse_profiles("f.toml", text); });
}

INSTANTIATE_TEST_SUITE_P(
    All, BadTomlProfiles,
    testing::Values(
        BadProfile{"empty", "", "[[profile]]"}, BadProfile{"not_toml", "\x01\x02", "f.toml:1:"},
        BadProfile{"no_latency", "device='d'\n[[profile]]\nmodel='m'\n", "alpha_ms: missing"},
        BadProfile{"no_device", "[[profile]]\nmodel='m'\nalpha_ms=1\nbeta_ms=1\nmax_batch=4\n",
                   "device: missing"},
        BadProfile{"negative", "device='d'\n[[profile]]\nmodel='m'\nalpha_ms=-1\nbeta_ms=1\nmax_batch=4\n",
                   "alpha_ms: found -1"},
        BadProfile{"zero", "device='d'\n[[profile]]\nmodel='m'\nalpha_ms=0\nbeta_ms=0\nmax_batch=4\n",
                   "above 0"},
        BadProfile{"batch_fraction",
                   "device='d'\n[[profile]]\nmodel='m'\nalpha_ms=1\nbeta_ms=0\nmax_batch=4.5\n", "4.5"},
        BadProfile{"batch_huge", "device='d'\n[[profile]]\nmodel='m'\nalpha_ms=1\nbeta_ms=0\nmax_batch=1e9\n",
                   "from 1 to 4096"},
        BadProfile{"latency_nan", "device='d'\n[[profile]]\nmodel='m'\nlatency_ms=[1, nan]\n", "found nan"},
        BadProfile{"latency_zero", "device='d'\n[[profile]]\nmodel='m'\nlatency_ms=[0]\n", "found 0"},
        BadProfile{"latency_empty", "device='d'\n[[profile]]\nmodel='m'\nlatency_ms=[]\n", "0 latencies"},
        BadProfile{"both", "device='d'\n[[profile]]\nmodel='m'\nlatency_ms=[1]\nalpha_ms=1\n",
                   "either a table"},
        BadProfile{"points_count", "device='d'\n[[profile]]\nmodel='m'\nlatency_ms=[1,2]\nbatch=[1]\n",
                   "1 batch sizes"},
        BadProfile{"points_fall", "device='d'\n[[profile]]\nmodel='m'\nlatency_ms=[1,2,3]\nbatch=[1,4,4]\n",
                   "rise from 1"},
        BadProfile{"points_fraction", "device='d'\n[[profile]]\nmodel='m'\nlatency_ms=[1,2]\nbatch=[1,2.5]\n",
                   "batch: found 2.5; allowed: integers"},
        BadProfile{"points_from_two", "device='d'\n[[profile]]\nmodel='m'\nlatency_ms=[1,2]\nbatch=[2,4]\n",
                   "rise from 1"},
        BadProfile{
            "twice",
            "device='d'\n[[profile]]\nmodel='m'\nlatency_ms=[1]\n[[profile]]\nmodel='m'\nlatency_ms=[1]\n",
            "second profile of 'm'"},
        BadProfile{"no_device_line", "# set\n\n[[profile]]\nmodel='m'\n",
                   "f.toml:3: profile.device: missing"},
        BadProfile{"goodput_alone", "device='d'\n[[profile]]\nmodel='m'\nlatency_ms=[1]\ngoodput_rps=[1]\n",
                   "f.toml:5: profile.goodput_rps: found goodput_rps alone"},
        BadProfile{"goodput_slos_alone",
                   "device='d'\n[[profile]]\nmodel='m'\nlatency_ms=[1]\ngoodput_slo_ms=[1]\n",
                   "both goodput_slo_ms and goodput_rps"},
        BadProfile{
            "goodput_lengths",
            "device='d'\n[[profile]]\nmodel='m'\nlatency_ms=[1]\ngoodput_slo_ms=[1,2]\ngoodput_rps=[1]\n",
            "f.toml:6: profile.goodput_rps: found 1 rates; allowed: one for each of goodput_slo_ms, which "
            "has 2"},
        BadProfile{"goodput_empty",
                   "device='d'\n[[profile]]\nmodel='m'\nlatency_ms=[1]\ngoodput_slo_ms=[]\ngoodput_rps=[]\n",
                   "found 0 rates"},
        BadProfile{
            "goodput_falls",
            "device='d'\n[[profile]]\nmodel='m'\nlatency_ms=[1]\ngoodput_slo_ms=[2,2]\ngoodput_rps=[1,1]\n",
            "f.toml:5: profile.goodput_slo_ms: found SLOs that do not rise"},
        BadProfile{
            "goodput_negative",
            "device='d'\n[[profile]]\nmodel='m'\nlatency_ms=[1]\ngoodput_slo_ms=[2]\ngoodput_rps=[-1]\n",
            "goodput_rps: found -1"},
        BadProfile{
            "goodput_no_slo",
            "device='d'\n[[profile]]\nmodel='m'\nlatency_ms=[1]\ngoodput_slo_ms=[0]\ngoodput_rps=[1]\n",
            "goodput_slo_ms: found 0"},
        BadProfile{"cpu_without_cores", "device='d'\n[[profile]]\nmodel='m'\nlatency_ms=[1]\ncpu_ms=1\n",
                   "f.toml:5: profile.cpu_ms: found cpu_ms alone; allowed: both cpu_ms and cores"},
        BadProfile{"cores_without_cpu", "device='d'\n[[profile]]\nmodel='m'\nlatency_ms=[1]\ncores=2\n",
                   "found cores alone"},
        BadProfile{"cpu_above_latency",
                   "device='d'\n[[profile]]\nmodel='m'\nlatency_ms=[1]\ncpu_ms=2.5\ncores=2\n",
                   "f.toml:5: profile.cpu_ms: found 2.5; allowed: at most cores x the latency of a batch of "
                   "one, 2 ms"},
        BadProfile{"no_cores", "device='d'\n[[profile]]\nmodel='m'\nlatency_ms=[1]\ncpu_ms=1\ncores=0\n",
                   "found 0"},
        BadProfile{"no_gpu", "device='d'\n[[profile]]\nmodel='m'\nlatency_ms=[1]\ngpus=0\n", "gpus: found 0"},
        BadProfile{"base_unknown", "\nbase='shepherd-v10'\n", "f.toml:2: base: found 'shepherd-v10'"},
        BadProfile{"base_services", "base='rag-a100'\n", "which runs no batches; allowed: a set of"},
        BadProfile{"base_made_of_another", "base='inferline-tfs'\n",
                   "f.toml:1: base: found 'inferline-tfs', which has a base itself"},
        BadProfile{"added_without_base",
                   "device='d'\nadd_ms_per_query=1\n[[profile]]\nmodel='m'\nlatency_ms=[1]\n",
                   "f.toml:2: add_ms_per_query: found add_ms_per_query without base"},
        BadProfile{"added_negative", "base='shepherd-v100'\nadd_ms_per_batch=-1\n",
                   "f.toml:2: add_ms_per_batch: found -1"},
        BadProfile{"base_twice",
                   "base='shepherd-v100'\n[[profile]]\nmodel='bert'\ndevice='V100'\nlatency_ms=[1]\n",
                   "f.toml:3: profile.model: found a second profile of 'bert' on V100"},
        BadProfile{"unsuffixed", "device='d'\n[[profile]]\nmodel='m'\nalpha=1\n", "did you mean 'alpha_ms'?"},
        BadProfile{"upper_case", "device='d'\n[[profile]]\nmodel='m'\nBETA=1\n", "did you mean 'beta_ms'?"},
        BadProfile{"unknown", "device='d'\n[[profile]]\nmodel='m'\nlatency=[1]\n",
                   "did you mean 'latency_ms'?"}),
    [](const auto& each) { return std::string(each.param.name); });

class BadNexusProfiles : public testing::TestWithParam<BadProfile> {};
TEST_P(BadNexusProfiles, GiveOneClearLine) {
  expect_line(GetParam(), [](const char* text) { parse_nexus_profile("f.txt", text); });
}

#define NEXUS_HEAD "caffe:m:1\nGPU\nForward latency\nbatch,latency(us),std(us),memory(B)\n"
INSTANTIATE_TEST_SUITE_P(
    All, BadNexusProfiles,
    testing::Values(
        BadProfile{"empty", "", "an empty file"}, BadProfile{"no_name", "vgg16\nGPU\n", "f.txt:1: model"},
        BadProfile{"toml", "device = 'd'\n[[profile]]\n",
                   "read as a Nexus profile, because it is not a .toml"},
        BadProfile{"no_device", "caffe:m:1\n", "device"},
        BadProfile{"other_table", "caffe:m:1\nGPU\nBackward latency\n", "f.txt:3: found 'Backward latency'"},
        BadProfile{"cut", "caffe:m:1\nGPU\nForward latency\n", "the end of the file"},
        BadProfile{"no_rows", NEXUS_HEAD "Preprocess latency\n", "no row of latencies"},
        BadProfile{"gap", NEXUS_HEAD "1,10,1,5\n3,30,1,5\n", "f.txt:6: batch: found 3; allowed: 2"},
        BadProfile{"text", NEXUS_HEAD "1,fast,1,5\n", "found 'fast'"},
        BadProfile{"negative", NEXUS_HEAD "1,-10,1,5\n", "latency(us): found '-10'"},
        BadProfile{"nan", NEXUS_HEAD "1,nan,1,5\n", "found 'nan'"},
        BadProfile{"fields", NEXUS_HEAD "1,10,1\n", "f.txt:5:"}),
    [](const auto& each) { return std::string(each.param.name); });

TEST(LoadProfiles, NamesTheNearestForAnUnknownName) {
  try {
    load_profiles("shepherd-v10");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean shepherd-v100?"), std::string::npos)
        << error.what();
  }
  EXPECT_THROW(load_profiles("/nowhere/at/all.txt"), InputError);
}

}  // namespace
}  // namespace harness
