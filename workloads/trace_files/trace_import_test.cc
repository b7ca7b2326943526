#include "workloads/trace_files/trace_import.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "harness/core/error.h"
#include "harness/core/params.h"
#include "harness/core/test_refusal.h"
#include "workloads/files/file_bytes.h"

namespace harness {
namespace {

TraceData read(const std::string& text, const std::string& format = "auto", const std::string& column = "") {
  TraceSpec spec;
  spec.shape = "file";
  spec.format = format;
  spec.column = column;
  return read_trace("t.csv", text, spec);
}

using Times = std::vector<TimeNs>;
using Counts = std::vector<double>;

std::string azure_header(bool with_day = true) {
  std::string header = with_day ? "hash_func,day" : "HashOwner,HashApp,HashFunction,Trigger";
  for (int minute = 1; minute <= 1440; ++minute) header += "," + std::to_string(minute);
  return header + "\n";
}

/// A row with `first` in the first minute and 1 in the last.
std::string azure_row(const std::string& begin, int first) {
  std::string row = begin + "," + std::to_string(first);
  for (int minute = 2; minute < 1440; ++minute) row += ",0";
  return row + ",1\n";
}

TEST(ReadTrace, TakesASendTimePerLine) {
  const TraceData data = read("0.5\n# a remark\n1\r\n\n1\n2.000000001");
  EXPECT_EQ(data.format, "times");
  EXPECT_EQ(data.times_ns, (Times{500'000'000, kNsPerS, kNsPerS, 2'000'000'001}));
}

/// Latencies of batches have no times; a log of requests has, whatever is beside them.
TEST(ReadTrace, RefusesLatenciesOfBatchesAndNoLogOfRequestsForThem) {
  for (const char* text : {"model,batch,latency_ms\nm,1,5.2\n", "Batch Size;P50 (ms)\n1;5\n2;6\n"})
    EXPECT_TRUE(holds(refusal_of([&] { read(text); }), "latencies of batches",
                      "harness profile import FILE -o SET.toml"))
        << text;
  for (const char* text :
       {"ts,model,batch_size,latency_ms\n0.1,m,4,9\n", "time_ms,batch,latency\n1,1,3\n5,1,3\n",
        "created_at,batch,e2e_latency\n2024-05-01T10:00:00Z,1,3\n", "request_time,batch,latency\n1,1,3\n",
        "received,batch,latency_ms\n1,1,3\n"}) {
    const std::string line = refusal_of([&] { read(text); });
    EXPECT_EQ(line.find("latencies of batches"), std::string::npos) << line;
  }
}

TEST(ReadTrace, TakesAnyColumnOfCounts) {
  const std::string text = "# bin_s = 1\ntimestamp,data,other\n0,21.0,1\n1000,34,2\n";
  EXPECT_EQ(read(text, "auto", "data").counts, (Counts{21, 34}));
  EXPECT_EQ(read(text, "counts", "2").counts, (Counts{21, 34}));
  EXPECT_EQ(read(text, "counts", "data,3").counts, (Counts{22, 36}));
  EXPECT_EQ(read("# bin_s = 1\n7,1\n8,2\n", "counts", "1").counts, (Counts{7, 8}));
  EXPECT_EQ(read("# bin_s = 1\n\"a\",\"n\"\n\"x,y\",\"5\"\n").counts, (Counts{5}));
}

TEST(ReadTrace, TakesTheBinFromTheSpecOrTheFile) {
  EXPECT_EQ(read("# bin_s = 3600\n5\n6\n").bin_s, 3600);
  EXPECT_EQ(read("# bin_s = 3600\n5\n6\n").format, "counts");
  TraceSpec spec;
  spec.bin_s = 10;
  EXPECT_EQ(read_trace("t", "# bin_s = 3600\n5\n", spec).bin_s, 10);
  EXPECT_EQ(read_trace("t", "count\n5\n7\n", spec).bin_s, 10);
}

TEST(ReadTrace, TakesTheTokensOfPublishedLogs) {
  const TraceData burst = read(
      "Timestamp,Model,Request tokens,Response tokens,Log Type\n5,x,472,18,API log\n"
      "45,y,7,9,API log\n");
  EXPECT_EQ(burst.format, "burstgpt");
  EXPECT_EQ(burst.times_ns, (Times{0, 40 * kNsPerS}));
  ASSERT_EQ(burst.tokens.size(), 2U);
  EXPECT_EQ(burst.tokens[0].input, 472U);
  EXPECT_EQ(burst.tokens[1].output, 9U);
  const TraceData moon = read(
      "{\"input_length\":5,\"output_length\":6,\"timestamp\":1000}\n"
      "{\"timestamp\": 4053, \"input_length\": 7, \"output_length\": 8, \"hash_ids\": [1, 2]}\n");
  EXPECT_EQ(moon.format, "mooncake");
  EXPECT_EQ(moon.times_ns, (Times{0, 3'053'000'000}));
  EXPECT_EQ(moon.tokens[0].output, 6U);
}

TEST(ReadTrace, SumsAzureFunctionsAndKeepsMissingDays) {
  const std::string text =
      azure_header() + azure_row("aa1,1", 5) + azure_row("bb2,1", 7) + azure_row("aa1,3", 9);
  const TraceData sum = read(text);
  EXPECT_EQ(sum.format, "azure_functions");
  EXPECT_EQ(sum.bin_s, 60);
  ASSERT_EQ(sum.counts.size(), 3U * 1440);
  EXPECT_EQ(sum.counts[0], 12);
  EXPECT_EQ(sum.counts[1439], 2);
  EXPECT_EQ(sum.counts[1440], 0);
  EXPECT_EQ(sum.counts[2 * 1440], 9);
  EXPECT_EQ(read(text, "auto", "bb").counts[0], 7);
  EXPECT_EQ(read(text, "auto", "aa1,bb").counts[0], 12);
  const std::string original = azure_header(false) + azure_row("o,a,f,http", 4) + azure_row("o,a,g,timer", 6);
  EXPECT_EQ(read(original).counts[0], 10);
  EXPECT_EQ(read(original, "auto", "g").counts[0], 6);
}

TEST(ReadTrace, TakesAzureLlmTimesFromTheFirstOn) {
  const TraceData data = read(
      "TIMESTAMP,ContextTokens,GeneratedTokens\r\n2023-11-16 23:59:59.6805900,374,44\r\n"
      "2023-11-17 00:00:00.6805900,396,109\r\n2023-11-17 00:01:00,1,2");
  EXPECT_EQ(data.format, "azure_llm");
  EXPECT_EQ(data.times_ns, (Times{0, kNsPerS, 60'319'410'000}));
  // 2024 is a leap year.
  EXPECT_EQ(
      read("TIMESTAMP,ContextTokens,GeneratedTokens\n2024-02-28 00:00:00,1,1\n2024-03-01 00:00:00,1,1\n")
          .times_ns[1],
      2 * 86400 * kNsPerS);
}

TEST(ReadTrace, TakesGzippedFiles) {
  EXPECT_EQ(read(packed("0.5\n1\n")).times_ns, (Times{500'000'000, kNsPerS}));
  EXPECT_EQ(read(packed("1\n") + packed("2\n"), "times").times_ns,
            (Times{kNsPerS, 2 * kNsPerS}));  // two gzip members
}

TEST(ReadTrace, TakesWhatCountsTextWrites) {
  const TraceData data = read(packed(counts_text("title", 0.1, {1, 0, 2.5})));
  EXPECT_EQ(data.bin_s, 0.1);
  EXPECT_EQ(data.counts, (Counts{1, 0, 2.5}));
  // Decimals as of thousands, numbers as of rows, as of a counter.
  Counts rising;
  for (int i = 0; i < 30; ++i) rising.push_back(10 + 7 * i);
  for (const Counts& counts : {Counts{1.013, 2.125}, Counts{1, 2, 3, 4, 5}, rising})
    EXPECT_EQ(read(counts_text("title", 60, counts)).counts, counts);
}

TEST(ReadTrace, TakesColumnsThatAreNoTimes) {
  const std::string bin = "# bin_s = 1\n";
  EXPECT_EQ(read(bin + "timeouts,n\n5,1\n5,2\n3,3\n").counts, (Counts{1, 2, 3}));
  EXPECT_EQ(read(bin + "date,n\nMon,1\nMon,2\n").counts, (Counts{1, 2}));
  EXPECT_EQ(read(bin + "5,1\n9,2\n3,3\n3,4\n", "counts").counts, (Counts{1, 2, 3, 4}));
}

TEST(ReadTrace, RefusesASecondRowOfAFunctionAndDay) {
  const std::string text = azure_header() + azure_row("aa1,1", 5) + azure_row("bb2,1", 7);
  EXPECT_TRUE(holds(refusal_of([&] { read(text + azure_row("aa1,1", 5)); }), "t.csv:4: ", "aa1, 1", "once"));
  EXPECT_NO_THROW(read(text + azure_row("aa1,2", 5)));
}

TEST(CountsOf, CountsTimesInBins) {
  EXPECT_EQ(counts_of(Times{0, 999'999'999, kNsPerS, 3 * kNsPerS}, 1), (Counts{2, 1, 0, 1}));
  // 0.3 / 0.1 is 2.9999999999999996 in doubles.
  EXPECT_EQ(counts_of(Times{299'999'999, 300'000'000}, 0.1), (Counts{0, 0, 1, 1}));
  EXPECT_EQ(counts_of(Times{kNsPerS, 2 * kNsPerS}, 1.0 / 3), (Counts{0, 0, 0, 1, 0, 0, 1}));
  for (int bin = 0; bin < 1000; ++bin) {
    EXPECT_EQ(counts_of(Times{bin * (kNsPerS / 10)}, 0.1).size(), static_cast<std::size_t>(bin) + 1);
  }
  EXPECT_THROW(counts_of(Times{0, 1'000'000'000 * kNsPerS}, 1), InputError);
}

struct BadTrace {
  const char* name;
  std::string bytes;
  const char* format;
  const char* message;
  const char* column = "";
};

class BadTraces : public testing::TestWithParam<BadTrace> {};

TEST_P(BadTraces, GiveOneClearLine) {
  try {
    read(GetParam().bytes, GetParam().format, GetParam().column);
    FAIL() << "accepted";
  } catch (const InputError& error) {
    const std::string line = error.what();
    EXPECT_NE(line.find(GetParam().message), std::string::npos) << line;
    EXPECT_EQ(line.rfind("t.csv:", 0), 0U) << line;
    EXPECT_NE(line.find("allowed: "), std::string::npos) << line;
    EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 0);
    EXPECT_LT(line.size(), 400U);
  }
}

std::string cut(std::string text, std::size_t bytes) { return text.substr(0, text.size() - bytes); }
std::string flipped(std::string text) {
  text[text.size() / 2] = static_cast<char>(text[text.size() / 2] ^ 0x55);
  return text;
}
const std::string kLlm = "TIMESTAMP,ContextTokens,GeneratedTokens\n";
const std::string kSomeTimes = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n";

INSTANTIATE_TEST_SUITE_P(
    All, BadTraces,
    testing::Values(
        BadTrace{"empty", "", "auto", "no data"}, BadTrace{"only_remarks", "# a\n\n  \n", "auto", "no data"},
        BadTrace{"only_header", "time,count\n", "counts", "no data"},
        BadTrace{"binary",
                 std::string("\x7f"
                             "ELF\0\0\1",
                             7),
                 "auto", "binary data"},
        BadTrace{"garbage", "\x80\x81\xfe\xff\n1\n", "auto", "t.csv:1: format: found no column"},
        BadTrace{"text", "1\ntwo\n", "times", "t.csv:2: send time: found 'two'"},
        BadTrace{"nan", "1\nnan\n", "times", "t.csv:2: send time: found 'nan'"},
        BadTrace{"infinite", "inf\n", "times", "found 'inf'"},
        BadTrace{"huge_number", "1e999\n", "times", "found '1e999'"},
        BadTrace{"negative", "-0.5\n", "times", "t.csv:1: send time: found '-0.5'"},
        BadTrace{"negative_gap", "1\n-3\n2\n", "gaps", "t.csv:2: column 1: found '-3'"},
        BadTrace{"too_late", "5\n2e9\n", "times", "from 0 to 1e+09"},
        BadTrace{"too_far_apart", "1e9\n5e9\n", "times", "at most 1e9 s from the first"},
        BadTrace{"two_numbers", "1 2\n", "times", "time_column = one of 1 to 2"},
        BadTrace{"trailing", "1s\n", "times", "found '1s'"},
        BadTrace{"hexadecimal", "0x10\n", "times", "found '0x10'"},
        BadTrace{"utf16", std::string("1\0\n\0", 4), "auto", "binary data"},
        BadTrace{"long_line", std::string(2 << 20, '1'), "times", "longer than 1 MiB"},
        BadTrace{"counts_text", "a,n\n1,x\n", "counts", "t.csv:2: count in column 'n': found 'x'"},
        BadTrace{"counts_nan_first", "0,nan\n", "counts", "found 'nan'"},
        BadTrace{"counts_nan", "a,n\n0,NaN\n", "counts", "found 'NaN'"},
        BadTrace{"counts_negative", "a,n\n1,-4\n", "counts", "found '-4'"},
        BadTrace{"counts_missing", "a,n\n1,\n", "counts", "an empty field"},
        BadTrace{"counts_absurd", "a,n\n1,1e15\n", "counts", "from 0 to 1e+12"},
        BadTrace{"counts_ragged", "a,n\n1,2\n1,2,3\n", "counts", "t.csv:3: found 3 fields; allowed: 2"},
        BadTrace{"no_such_column", "a,b\n1,2\n", "counts", "column: found 'c'; allowed: a, b", "c"},
        BadTrace{"column_zero", "a,b\n1,2\n", "counts", "from 1 to 2", "0"},
        BadTrace{"column_three", "a,b\n1,2\n", "counts", "from 1 to 2", "3"},
        BadTrace{"bad_bin", "# bin_s = soon\n1\n", "counts", "t.csv:1: bin_s: found 'soon'"},
        BadTrace{"zero_bin", "# bin_s = 0\n1\n", "counts", "bin_s: found '0'"},
        BadTrace{"azure_header", "hash_func,day,1,2,3\nx,1,1,2,3\n", "auto", "t.csv:1: header"},
        BadTrace{"azure_no_rows", azure_header(), "auto", "no data"},
        BadTrace{"azure_short_row", azure_header() + "x,1,4\n", "auto",
                 "t.csv:2: found 3 fields; allowed: 1442"},
        BadTrace{"azure_day", azure_header() + azure_row("x,400", 1), "auto", "day: found '400'"},
        BadTrace{"azure_day_fraction", azure_header() + azure_row("x,1.5", 1), "auto", "day: found '1.5'"},
        BadTrace{"azure_count", azure_header() + azure_row("x,1", -3), "auto", "minute 1: found '-3'"},
        BadTrace{"azure_function", azure_header() + azure_row("x,1", 1), "auto",
                 "column: found 'y', which fits 0", "y"},
        BadTrace{"azure_ambiguous", azure_header() + azure_row("xa,1", 1) + azure_row("xb,1", 1), "auto",
                 "which fits 2 functions", "x"},
        BadTrace{"llm_header", "TIMESTAMP,Tokens\n", "azure_llm", "t.csv:1: header"},
        BadTrace{"llm_time", kLlm + "yesterday,1,2\n", "auto", "t.csv:2: TIMESTAMP: found 'yesterday'"},
        BadTrace{"llm_month", kLlm + "2023-13-16 18:15:46,1,2\n", "auto", "TIMESTAMP"},
        BadTrace{"llm_fraction", kLlm + "2023-11-16 18:15:46.,1,2\n", "auto", "TIMESTAMP"},
        BadTrace{"llm_unsorted", kLlm + "2023-11-16 18:15:46,1,2\n2023-11-16 18:15:45,1,2\n", "auto",
                 "t.csv:3: TIMESTAMP"},
        BadTrace{"llm_tokens", kLlm + "2023-11-16 18:15:46,-1,2\n", "auto", "ContextTokens: found '-1'"},
        BadTrace{"llm_fields", kLlm + "2023-11-16 18:15:46,1\n", "auto", "2 fields"},
        BadTrace{"gzip_truncated", cut(packed(kSomeTimes), 6), "auto", "truncated gzip"},
        BadTrace{"gzip_header_only", packed(kSomeTimes).substr(0, 5), "auto", "truncated gzip"},
        BadTrace{"gzip_corrupt", flipped(packed(kSomeTimes)), "auto", "gzip"},
        BadTrace{"gzip_trailing", packed(kSomeTimes) + "more", "auto", "after the end of the gzip data"}),
    [](const auto& each) { return std::string(each.param.name); });

}  // namespace
}  // namespace harness
