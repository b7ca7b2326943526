// Profiles of shared and delay services: what is read, what is refused, and the lengths of the Azure trace.
#include "workloads/catalogue/service_profiles.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "harness/core/input_error.h"
#include "workloads/catalogue/pipeline_file.h"
#include "workloads/catalogue/profile_set.h"
#include "workloads/trace_files/imported_trace.h"

namespace harness {
namespace {

const char* const kShared =
    "device='A100'\n[[shared]]\nmodel='llm'\nslots=8\nprefill_tokens_per_s=1000\nconcurrency=[1, 3]\n"
    "decode_tokens_per_s=[10, 20]\nends_at='first_token'\ninput_median=100\ninput_sigma=0\noutput_median=5\n"
    "output_sigma=0.5\n";

TEST(ServiceProfiles, ReadASharedServer) {
  const ProfileSet set = parse_profiles("a/mine.toml", kShared);
  const Profile& profile = set.profiles.at("llm");
  EXPECT_EQ(profile.service, Service::kShared);
  EXPECT_EQ(profile.shared.decode_tokens_per_s, (std::vector<double>{10, 15, 20, 20, 20, 20, 20, 20}));
  EXPECT_TRUE(profile.shared.ends_at_first_token);
  EXPECT_FALSE(profile.shared.lengths_from_trace);
  EXPECT_EQ(profile.latency_ns, (std::vector<TimeNs>{100 * kNsPerMs})) << "100 tokens at 1000/s";
  EXPECT_EQ(fixed_workers(profile), 8);
}

TEST(ServiceProfiles, ReadADelay) {
  const ProfileSet set =
      parse_profiles("d.toml", "[[delay]]\nmodel='api'\nthreads=3\nmedian_ms=100\nsigma=0\n");
  const Profile& profile = set.profiles.at("api");
  EXPECT_EQ(profile.service, Service::kDelay);
  EXPECT_EQ(profile.delay.median_ns, 100 * kNsPerMs);
  EXPECT_EQ(profile.latency(1), 100 * kNsPerMs) << "sigma 0: the mean is the median";
  EXPECT_EQ(profile.device, "remote");
}

TEST(ServiceProfiles, TakeTimesBeyondAnyClockForVeryLong) {
  const ProfileSet set = parse_profiles(
      "s.toml",
      "device='A100'\n[[shared]]\nmodel='llm'\nslots=1\nprefill_tokens_per_s=1e-6\nconcurrency=[1]\n"
      "decode_tokens_per_s=[1]\ninput_median=1e7\ninput_sigma=0\noutput_median=1\noutput_sigma=0\n");
  EXPECT_GT(set.profiles.at("llm").latency(1), s_to_ns(1e8)) << "1e13 s, which nanoseconds cannot say";
}

void expect_refused(const std::string& text, const std::string& message) {
  try {
    parse_profiles("f.toml", text);
    FAIL() << "accepted " << text;
  } catch (const InputError& error) {
    const std::string line = error.what();
    EXPECT_NE(line.find(message), std::string::npos) << line;
    EXPECT_EQ(line.rfind("f.toml:", 0), 0u) << line;
  }
}

std::string with(const std::string& from, const std::string& to) {
  std::string text = kShared;
  return text.replace(text.find(from), from.size(), to);
}

TEST(ServiceProfiles, RefuseWhatIsWrongWithItsLine) {
  expect_refused(with("[1, 3]", "[1, 3, 4]"), "3 numbers");
  expect_refused(with("[1, 3]", "[2, 3]"), "do not rise from 1");
  expect_refused(with("[1, 3]", "[1, 1]"), "do not rise from 1");
  expect_refused(with("first_token", "first"), "one of last_token, first_token");
  expect_refused(with("slots=8", "slots=0"), "slots");
  expect_refused(with("input_sigma=0", "input_sigm=0"), "input_sigm");
  expect_refused(with("device='A100'", ""), "a device");
  expect_refused(std::string(kShared) + "[[delay]]\nmodel='llm'\nthreads=3\nmedian_ms=1\nsigma=0\n",
                 "a second profile");
  expect_refused("[[delay]]\nmodel='api'\nthreads=3\nmedian_ms=-1\nsigma=0\n", "median_ms");
}

TEST(ServiceProfiles, OfTheRagCaseHaveEveryModelOfItsPipeline) {
  const ProfileSet set = load_profiles("rag-a100");
  const Pipeline pipeline = load_pipeline("rag");
  EXPECT_EQ(pipeline.slo_ns, 5 * kNsPerS) << "PARD section 7: TTFT SLO of 5 s";
  for (const Module& module : pipeline.modules)
    EXPECT_EQ(set.profiles.count(module.model), 1u) << module.model;
  EXPECT_TRUE(set.profiles.at("llama-3-8b-generate").shared.ends_at_first_token);
  EXPECT_FALSE(set.profiles.at("llama-3-8b-rewrite").shared.ends_at_first_token);
}

/// Mean and standard deviation of the logarithms.
void expect_fit(const TraceTokens& tokens, std::uint32_t TokenCount::*length, const TokenLengths& fitted) {
  double sum = 0;
  double squares = 0;
  for (const TokenCount& count : tokens) {
    const double value = std::log(static_cast<double>(count.*length));
    sum += value;
    squares += value * value;
  }
  const auto count = static_cast<double>(tokens.size());
  const double mean = sum / count;
  EXPECT_NEAR(fitted.median / std::exp(mean), 1, 0.01) << "median of the lognormal: " << std::exp(mean);
  EXPECT_NEAR(fitted.sigma, std::sqrt(squares / count - mean * mean), 0.01);
}

TEST(AzureLlmTrace, HasTheLengthsThatTheRagProfileDrawsFrom) {
  const char* data = std::getenv("HARNESS_DATA");
  TraceSpec spec;
  spec.shape = "file";
  spec.file =
      std::string(data != nullptr ? data : "../shared/data") + "/traces/AzureLLMInferenceTrace_conv.csv";
  if (!std::filesystem::exists(spec.file)) GTEST_SKIP() << "no " << spec.file;
  const TraceTokens tokens = recorded_tokens(spec);
  ASSERT_EQ(tokens.size(), 19'366u);
  EXPECT_EQ(tokens.front(), (TokenCount{374, 44})) << "the file's first row";
  const Profile generate = load_profiles("rag-a100").profiles.at("llama-3-8b-generate");
  expect_fit(tokens, &TokenCount::input, generate.shared.input);
  expect_fit(tokens, &TokenCount::output, generate.shared.output);
}

TEST(AzureLlmTrace, OtherTracesHaveNoLengths) {
  TraceSpec spec;
  spec.shape = "tweet";
  EXPECT_TRUE(recorded_tokens(spec).empty());
}

}  // namespace
}  // namespace harness
