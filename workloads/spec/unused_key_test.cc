// Every key of a trace has an effect or is refused, whatever the shape, the format and the rate are.
#include "workloads/spec/unused_key.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "harness/core/random_stream.h"
#include "harness/core/test_refusal.h"
#include "harness/files/file_bytes.h"
#include "harness/files/text_lines.h"
#include "workloads/spec/trace_keys.h"
#include "workloads/streams/trace_arrivals.h"

namespace harness {
namespace {

/// The result of a trace with one key or another: its sending times, or the line that refuses it.
struct Outcome {
  std::vector<TimeNs> times;
  std::string refusal;
  bool operator==(const Outcome&) const = default;
};

Outcome outcome_of(const TraceSpec& spec, double rate) {
  Outcome outcome;
  outcome.refusal = refusal_of([&] {
    for (ArrivalCursor cursor(make_arrivals(spec, rate, 1)); cursor.next_ns() != kNever; cursor.advance())
      outcome.times.push_back(cursor.next_ns());
  });
  return outcome;
}

using Names = std::vector<std::string>;

class TraceKeys : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "/harness_trace_keys_" + std::to_string(::getpid());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  TraceSpec file(const std::string& name, const std::string& text, const std::string& format = "auto") const {
    TraceSpec spec = shape("file");
    spec.file = (folder_ / name).string();
    spec.format = format;
    write_file(spec.file, text);
    return spec;
  }

  static TraceSpec shape(const std::string& name) {
    TraceSpec spec;
    spec.name = "t";
    spec.shape = name;
    return spec;
  }

  /// Returns a shape for which straight lines have an effect: bins of tweet are otherwise too short for them.
  static TraceSpec uncompressed(const std::string& name) {
    TraceSpec spec = shape(name);
    if (name == "tweet") spec.compress = 1;
    return spec;
  }

  static TraceSpec with_process(TraceSpec spec, ArrivalProcess process) {
    spec.process = process;
    return spec;
  }

  static Outcome with_value(TraceSpec spec, double rate, const std::string& key, const ParamValue& value) {
    const std::string text = text_of(value);
    ParamList params;
    spec.list(params);
    if (key == "file") spec.file = text;
    if (key == "format") spec.format = text;
    if (key == "column") spec.column = text;
    if (key == "time_column") spec.time_column = text;
    if (key == "where") spec.where = text;
    if (key == "group_by") spec.group_by = text;
    if (const Param* param = params.find(key); param != nullptr && !param->set(value))
      return {{}, "not allowed"};
    return outcome_of(spec, rate);
  }

  /// Returns some legal values of every key but shape and streams.
  static std::vector<std::pair<std::string, std::vector<ParamValue>>> keys() {
    using Texts = std::vector<ParamValue>;
    std::vector<std::pair<std::string, std::vector<ParamValue>>> keys = {
        {"file", Texts{"/nowhere/x"}}, {"format", Texts{"times"}}, {"column", Texts{"b"}},
        {"time_column", Texts{"b"}},   {"where", Texts{"b=1"}},    {"group_by", Texts{"b"}}};
    TraceSpec standard;
    ParamList params;
    standard.list(params);
    for (const Param& param : params.params()) {
      std::vector<ParamValue> values;
      const std::string one_of = "one of ";
      if (std::holds_alternative<bool>(param.get())) {
        values.emplace_back(true);
      } else if (param.allowed.starts_with(one_of)) {
        std::vector<std::string_view> names;
        split_fields(std::string_view(param.allowed).substr(one_of.size()), names, ',');
        for (const std::string_view name : names) values.emplace_back(std::string(trimmed(name)));
      } else {
        for (const double number : {0.1, 0.4, 0.8, 3.0, 7.0, 20.0, 80.0, 3600.0}) values.emplace_back(number);
      }
      std::erase(values, param.get());
      keys.emplace_back(param.name, values);
    }
    return keys;
  }

  /// Checks that each key either changes the load (or cannot be read so), or is refused as one without an
  /// effect. The tests of the importer check the same for keys that say how a file is read (logs_test.py).
  void expect_all_act(const std::string& name, const TraceSpec& spec, double rate) {
    SCOPED_TRACE(name + " at " + text_of(rate));
    const Outcome standard = outcome_of(spec, rate);
    ASSERT_EQ(standard.refusal, "no error");
    ASSERT_FALSE(standard.times.empty());
    const Names reading = spec.file.empty() ? Names() : reading_keys();
    for (const auto& [key, values] : keys()) {
      if (key != "bin_s" && std::find(reading.begin(), reading.end(), key) != reading.end()) continue;
      bool acts = false, is_refused = false;
      for (const ParamValue& value : values) {
        const Outcome outcome = with_value(spec, rate, key, value);
        if (outcome.refusal == "not allowed") continue;
        const bool refuses_key = outcome.refusal.starts_with(key + ": found " + key + " ");
        is_refused |= refuses_key;
        acts |= !refuses_key && !(outcome == standard);
      }
      EXPECT_NE(acts, is_refused) << key;
      if (is_refused) refused_.insert(key);
      if (acts) acting_.insert(key);
    }
  }

  std::filesystem::path folder_;
  std::set<std::string> refused_;
  std::set<std::string> acting_;
};

/// Returns counts of bins of a second with Poisson's noise about a rate that rises.
std::string noisy_counts(const std::string& title, const std::string& before) {
  std::string text = title;
  RandomStream random(3, "counts");
  for (int bin = 0; bin < 50; ++bin) {
    const double mean = 100 + bin;
    int count = 0;
    for (double left = mean; left > 0; ++count) left += std::log(1 - random.uniform()) * 1.0;
    text += (before.empty() ? "" : std::to_string(bin) + before) + std::to_string(count) + "\n";
  }
  return text;
}

TEST_F(TraceKeys, OfGeneratedShapesActOrAreRefused) {
  for (const char* name : {"constant", "poisson", "gamma", "mmpp", "step", "transition", "wiki", "tweet",
                           "azure", "autoscale-spike"}) {
    expect_all_act(name, uncompressed(name), 50);
  }
  for (const ArrivalProcess process : {ArrivalProcess::kGamma, ArrivalProcess::kMmpp}) {
    expect_all_act("step with another process", with_process(shape("step"), process), 50);
    expect_all_act("tweet with another process", with_process(uncompressed("tweet"), process), 50);
  }
  for (const char* key : {"process", "cv", "scv", "mmpp_ratio", "step_ratio", "transition_s", "from_s",
                          "scale_to", "compress", "contrast"}) {
    EXPECT_TRUE(refused_.contains(key) && acting_.contains(key)) << key;
  }
}

TEST_F(TraceKeys, OfFilesActOrAreRefused) {
  const TraceSpec counts = file("counts.csv", noisy_counts("# bin_s = 1\ncount\n", ""));
  TraceSpec raw = counts;
  raw.scale_by = ScaleBy::kRaw;
  TraceSpec column = file("columns.csv", noisy_counts("time_s,b,a\n", ",1,"));
  column.column = "a";
  std::string counter_text = "total\n";
  for (int bin = 0, total = 0; bin < 40; ++bin) {
    total += 100 + bin;
    counter_text += std::to_string(total) + "\n";
  }
  TraceSpec counter = file("counter.csv", counter_text, "counter");
  counter.bin_s = 1;
  const std::string times = "0.5\n1.25\n2.5\n2.75\n5\n9\n20.5\n21\n40\n";
  for (const double rate : {0.0, 50.0}) {
    expect_all_act("counts", counts, rate);
    expect_all_act("columns", column, rate);
    expect_all_act("counter", counter, rate);
    if (rate > 0) expect_all_act("raw counts", raw, rate);
    expect_all_act("gamma counts", with_process(counts, ArrivalProcess::kGamma), rate);
    expect_all_act("times", file("times.csv", times), rate);
    expect_all_act("format times", file("times.csv", times, "times"), rate);
    expect_all_act("times beside others",
                   file("beside.csv", "time_s,other\n1,a\n2,b\n4.5,b\n7,c\n7.1,c\n7.2,c\n12,c\n"), rate);
    expect_all_act("dates",
                   file("dates.csv",
                        "2024-05-01T10:00:00.1Z\n2024-05-01T10:00:03.2Z\n2024-05-01T10:00:03.3Z\n2024-05-"
                        "01T10:00:09.3Z\n"),
                   rate);
    expect_all_act("gaps", file("gaps.csv", "gap_s\n0.5\n1.25\n3\n0.05\n0.75\n", "gaps"), rate);
  }
  expect_all_act("mmpp counts", with_process(counts, ArrivalProcess::kMmpp), 50);
}

TEST_F(TraceKeys, OfPublishedFormatsActOrAreRefused) {
  const std::string burstgpt =
      "Timestamp,Model,Request tokens,Response tokens,Total tokens,Log "
      "Type\n5,ChatGPT,472,18,490,Conversation "
      "log\n5,ChatGPT,1087,230,1317,Conversation log\n45,GPT-4,417,276,693,Conversation log\n";
  const std::string azure =
      "TIMESTAMP,ContextTokens,GeneratedTokens\n2023-11-16 18:15:46.6805900,374,44\n"
      "2023-11-16 18:15:46.9951690,396,109\n2023-11-16 18:16:13.1400000,879,55\n";
  const std::string mooncake =
      "{\"timestamp\": 0, \"input_length\": 6, \"output_length\": 5, \"hash_ids\": [0]}\n"
      "{\"timestamp\": 100, \"input_length\": 20, \"output_length\": 8, \"hash_ids\": [1]}\n"
      "{\"timestamp\": 30500, \"input_length\": 20, \"output_length\": 8, \"hash_ids\": [1]}\n";
  std::string functions = "hash_func,day", row = "\nb,1", other = "\nc,1";
  for (int minute = 1; minute <= 1440; ++minute) {
    functions += "," + std::to_string(minute);
    row += "," + std::to_string(minute * minute % 7);
    other += "," + std::to_string(minute % 5);
  }
  functions += row + other + "\n";
  for (const double rate : {0.0, 5.0}) {
    for (const auto& [format, text] : {std::pair{"burstgpt", burstgpt},
                                       {"azure_llm", azure},
                                       {"mooncake", mooncake},
                                       {"azure_functions", functions}}) {
      TraceSpec spec = file(std::string(format) + ".txt", text, format);
      if (spec.format == "azure_functions") {  // more than the day that the file has
        spec.compress = 60;
        spec.duration_s = 2000;
        if (rate > 0) spec.smooth_s = 300;
      }
      expect_all_act(format, spec, rate);
      spec.format = "auto";
      expect_all_act(std::string("auto, ") + format, spec, rate);
    }
  }
}

TEST_F(TraceKeys, OfStreamsActOrAreRefused) {
  StreamClass poisson;
  poisson.rps = 20;
  TraceSpec streams = shape("streams");
  streams.streams = {poisson};
  expect_all_act("streams", streams, 0);
  TraceSpec recorded = file("modules.csv", "time_s,module,other\n0.5,m,m\n1.5,m,m\n2.5,m,m\n7,m,m\n");
  recorded.shape = "streams";
  StreamClass requests;
  requests.process = StreamProcess::kRecorded;
  requests.module = "m";
  recorded.streams = {requests};
  expect_all_act("recorded streams", recorded, 0);
}

TEST_F(TraceKeys, AreRefusedWithTheKeyThatWouldDoIt) {
  TraceSpec poisson = shape("poisson");
  poisson.places["cv"] = {"e.toml", 7, "trace.t.cv"};
  EXPECT_EQ(refusal_of([&] { check_trace(poisson); }),
            "e.toml:7: trace.t.cv: found cv with shape = \"poisson\"; allowed: shape = \"gamma\"")
      << "2, which is what a trace has that does not give it, too";
  TraceSpec tweet = shape("tweet");
  tweet.mmpp_ratio = 3;
  EXPECT_EQ(refusal_of([&] { check_trace(tweet); }),
            "mmpp_ratio: found mmpp_ratio with process = \"poisson\"; allowed: process = \"mmpp\"");
  TraceSpec column = file("t.csv", "1\n2\n", "times");
  column.column = "1";
  EXPECT_EQ(refusal_of([&] { make_arrivals(column, 0, 1); }),
            "column: found column with format = \"times\"; allowed: time_column (the column of its times)");
}

/// The keys that older results list of a trace are read, and the ones without an effect are dropped.
TEST_F(TraceKeys, AreDroppedWhereTheyDoNothing) {
  TraceSpec poisson = shape("poisson");
  poisson.cv = 7;
  poisson.places["cv"] = {};
  poisson.sample_share = 0.5;
  drop_unused_keys(poisson);
  EXPECT_EQ(refusal_of([&] { check_trace(poisson); }), "no error");
  EXPECT_EQ(poisson.cv, TraceSpec().cv);
  EXPECT_EQ(poisson.sample_share, 0.5);
}

}  // namespace
}  // namespace harness
