#include "workloads/trace_files/canonical_trace.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <limits>

#include "harness/core/random_stream.h"
#include "harness/core/test_refusal.h"
#include "harness/files/file_bytes.h"
#include "harness/files/sha256.h"
#include "workloads/trace_files/trace_data.h"

namespace harness {
namespace {

template <class Number>
std::string bytes_of(std::initializer_list<Number> numbers) {
  std::string bytes;
  for (const Number number : numbers) {
    char text[sizeof number];
    std::memcpy(text, &number, sizeof number);
    bytes.append(text, sizeof number);
  }
  return bytes;
}

/// Returns a file whose header has these lines besides ones that do not matter here.
std::string file_of(const std::string& lines, const std::string& numbers) {
  return "# harness trace 1\nparts = \"load\"\nbin_s = 60.0\nreading = \"r\"\nnotes = [\"n\"]\nsource = "
         "\"s\"\n"
         "source_sha256 = \"0\"\n" +
         lines + "sha256 = \"" + sha256_of(numbers) + "\"\n---\n" + numbers;
}

const std::string kTimes = bytes_of<std::int64_t>({0, 5, kNsPerS});
const std::string kTimesHeader =
    "format = \"times\"\nrequests = 3\nbins = 0\nfunctions = 0\nhas_tokens = false\nmodules = []\n";

class CanonicalTrace : public testing::Test {
 protected:
  CanonicalTrace()
      : path_((std::filesystem::temp_directory_path() /
               (std::string("harness_canonical_") +
                testing::UnitTest::GetInstance()->current_test_info()->name()))
                  .string()) {}
  ~CanonicalTrace() override { std::filesystem::remove(path_); }

  TraceData read(const std::string& bytes) {
    write_file(path_, bytes);
    return read_canonical_trace(path_);
  }
  std::string refusal(const std::string& bytes) {
    return refusal_of([&] { read(bytes); });
  }

  std::string path_;
};

TEST_F(CanonicalTrace, HoldsTimesTokensAndModules) {
  const std::string numbers =
      kTimes + bytes_of<std::uint32_t>({1, 2, 3, 4, 5, 6}) + bytes_of<std::int32_t>({1, 0, 1});
  const TraceData data =
      read(file_of("format = \"burstgpt\"\nrequests = 3\nbins = 0\nfunctions = 0\nhas_tokens = true\n"
                   "modules = [\"a\", \"b\"]\n",
                   numbers));
  EXPECT_TRUE(is_canonical_trace(path_));
  EXPECT_EQ(data.format, "burstgpt");
  EXPECT_EQ(data.times_ns, (std::vector<TimeNs>{0, 5, kNsPerS}));
  ASSERT_EQ(data.tokens.size(), 3U);
  EXPECT_EQ(data.tokens[2].input, 5U);
  EXPECT_EQ(data.tokens[2].output, 6U);
  EXPECT_EQ(data.modules, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(data.module_of, (std::vector<std::int32_t>{1, 0, 1}));
  EXPECT_EQ(data.reading, "r");
  EXPECT_EQ(data.notes, (std::vector<std::string>{"n"}));
}

TEST_F(CanonicalTrace, HoldsCountsOrRatesByFunction) {
  const TraceData counts = read(file_of(
      "format = \"counts\"\nrequests = 0\nbins = 2\nfunctions = 0\nhas_tokens = false\nmodules = []\n",
      bytes_of<double>({2.5, 0})));
  EXPECT_EQ(counts.counts, (std::vector<double>{2.5, 0}));
  EXPECT_EQ(counts.bin_s, 60);
  const TraceData rates =
      read(file_of("format = \"azure_functions\"\nrequests = 0\nbins = 2\nfunctions = 2\nhas_tokens = false\n"
                   "modules = []\n",
                   bytes_of<float>({1, 2, 3, 4})));
  EXPECT_EQ(rates.rates, (std::vector<std::vector<float>>{{1, 2}, {3, 4}}));
}

/// A header may be longer than what is read at once, and numbers begin anywhere in it.
TEST_F(CanonicalTrace, HasAHeaderOfAnyLength) {
  for (const std::size_t more : {65300U, 65400U, 65500U, 131000U}) {
    std::string header = kTimesHeader + "# " + std::string(more, 'x') + "\n";
    EXPECT_EQ(read(file_of(header, kTimes)).times_ns.back(), kNsPerS) << more;
  }
}

TEST_F(CanonicalTrace, IsRefusedWhereItHoldsWhatNoTraceCan) {
  EXPECT_EQ(refusal(file_of(kTimesHeader, kTimes)), "no error");
  const auto with = [](const std::string& from, const std::string& to) {
    std::string header = kTimesHeader;
    return header.replace(header.find(from), from.size(), to);
  };
  EXPECT_TRUE(holds(refusal("time\n1\n"), "another beginning", "harness trace import"));
  EXPECT_FALSE(is_canonical_trace(path_));
  EXPECT_TRUE(holds(refusal("# harness trace 1\nformat = 1\n"), "no end of its header"));
  EXPECT_TRUE(holds(refusal(file_of(kTimesHeader, bytes_of<std::int64_t>({0, 5, 4}))), "times that fall"));
  EXPECT_TRUE(holds(refusal(file_of(kTimesHeader, bytes_of<std::int64_t>({-1, 5, 6}))), "times that fall"));
  EXPECT_TRUE(holds(refusal(file_of(kTimesHeader, kTimes + "x")), "more bytes"));
  EXPECT_TRUE(holds(refusal(file_of(with("requests = 3", "requests = 4"), kTimes)), "fewer bytes"));
  EXPECT_TRUE(holds(refusal(file_of(with("requests = 3", "requests = 9e9"), kTimes)), "fewer bytes"));
  EXPECT_TRUE(holds(refusal(file_of(with("functions = 0", "functions = 9e9"), kTimes)), "bytes than"));
  EXPECT_TRUE(holds(refusal(file_of(with("requests = 3", "requests = 0"), "")), "no requests"));
  EXPECT_TRUE(holds(refusal(file_of(with("\"times\"", "\"auto\""), kTimes)), "format", "azure_llm"));
  EXPECT_TRUE(holds(
      refusal(file_of(with("modules = []", "modules = [\"a\"]"), kTimes + bytes_of<std::int32_t>({0, 1, 0}))),
      "a module that it does not name"));
  EXPECT_TRUE(
      holds(refusal(file_of("format = \"counts\"\nrequests = 0\nbins = 1\nfunctions = 0\nhas_tokens = false\n"
                            "modules = []\n",
                            bytes_of<double>({std::numeric_limits<double>::quiet_NaN()}))),
            "a count below 0"));
}

/// Whatever byte of a file is changed, it is refused or means the same but for its words.
TEST_F(CanonicalTrace, IsTheSameOrRefusedWithAnyByteChanged) {
  const std::string good = file_of(kTimesHeader, kTimes);
  const TraceData expected = read(good);
  RandomStream random(7, "canonical traces");
  for (std::size_t at = 0; at < good.size(); ++at) {
    std::string bytes = good;
    bytes[at] = static_cast<char>(bytes[at] ^ static_cast<char>(1 + random.below(255)));
    std::vector<TimeNs> times = expected.times_ns;
    refusal_of([&] { times = read(bytes).times_ns; });
    EXPECT_EQ(times, expected.times_ns) << at;
  }
}

}  // namespace
}  // namespace harness
