#include "workloads/streams/stream_population.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "harness/core/input_error.h"
#include "harness/files/file_bytes.h"
#include "workloads/catalogue/pipeline_file.h"
#include "workloads/streams/class_population.h"
#include "workloads/streams/test_streams.h"
#include "workloads/streams/trace_arrivals.h"

namespace harness {
namespace {

StreamClass class_of(int count, double rps) {
  StreamClass spec;
  spec.count = count;
  spec.rps = rps;
  return spec;
}

double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }

std::string error_of(const TraceSpec& spec, double target_rps = 0) {
  try {
    check_trace(spec);
    StreamPopulation population(spec, target_rps);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

// Whatever rates are drawn and however they change: the class's rps without a target, the target with one.
TEST(StreamPopulation, KeepsTheTotalUnderScaling) {
  for (const StreamRates rates : {StreamRates::kEqual, StreamRates::kExponential, StreamRates::kLognormal}) {
    for (const StreamMinutes minutes : {StreamMinutes::kConstant, StreamMinutes::kGamma}) {
      StreamClass one = class_of(500, 300);
      one.rates = rates;
      one.minutes = minutes;
      one.minute_s = 25;  // the last one is cut
      const TraceSpec spec = trace_of({one, class_of(10, 100)});
      const StreamPopulation own(spec, 0);
      EXPECT_NEAR(own.classes()[0].total(), 300 * 60, 1e-6);
      EXPECT_NEAR(own.classes()[1].total(), 100 * 60, 1e-6);
      const StreamPopulation scaled(spec, 7000);
      EXPECT_NEAR(scaled.expected_requests(), 7000 * 60, 1e-5);
      EXPECT_NEAR(scaled.classes()[0].total(), 0.75 * 7000 * 60, 1e-5) << "classes keep their weights";
      EXPECT_NEAR(sum(scaled.mean_rps()), 7000, 1e-7);
      for (std::size_t i = 0; i < 510; ++i)
        EXPECT_NEAR(scaled.mean_rps()[i], 17.5 * own.mean_rps()[i], 1e-9 * scaled.mean_rps()[i]) << i;
    }
  }
}

// Exponential: standard deviation = mean. Lognormal: the logarithm's standard deviation is sigma, cuts aside.
TEST(StreamPopulation, DrawsRatesFromTheDistribution) {
  StreamClass spec = class_of(100'000, 100'000);
  EXPECT_EQ(StreamPopulation(trace_of({spec}), 0).mean_rps()[5], 1);
  spec.rates = StreamRates::kExponential;
  const std::vector<double> rates = StreamPopulation(trace_of({spec}), 0).mean_rps();
  double squares = 0;
  for (const double rate : rates) squares += rate * rate;
  EXPECT_NEAR(squares / 100'000, 2, 0.05);
  spec.rates = StreamRates::kLognormal;
  spec.sigma = 1.5;
  spec.cut_below = spec.cut_above = 10;
  std::vector<double> logs;
  for (const double rate : StreamPopulation(trace_of({spec}), 0).mean_rps()) logs.push_back(std::log(rate));
  const double mean = sum(logs) / 100'000;
  double variance = 0;
  for (const double log : logs) variance += (log - mean) * (log - mean) / 100'000;
  EXPECT_NEAR(std::sqrt(variance), 1.5, 0.015);
  spec.cut_below = 0.5;
  spec.cut_above = 1;
  const std::vector<double> cut = StreamPopulation(trace_of({spec}), 0).mean_rps();
  const auto [least, most] = std::minmax_element(cut.begin(), cut.end());
  EXPECT_LE(std::log(*most / *least), 1.5 * 1.5);
  EXPECT_GE(std::log(*most / *least), 0.99 * 1.5 * 1.5);
}

// Shahrad et al. (USENIX ATC'20, section 3): 45 % of the applications are invoked at most once an hour, 81 %
// at most once a minute, the others make 99.6 % of the invocations, and frequencies range over eight orders
// of magnitude.
TEST(StreamPopulation, HasTheRatesOfAzureFunctions) {
  StreamClass spec = stream_preset("maf-stable")[0];
  EXPECT_EQ(spec.count, 46'000);
  spec.minutes = StreamMinutes::kConstant;
  std::vector<double> rates = StreamPopulation(trace_of({spec}), 1000).mean_rps();
  std::sort(rates.begin(), rates.end());
  const double per_hour = rates[static_cast<std::size_t>(0.45 * 46'000)];
  const double per_minute = rates[static_cast<std::size_t>(0.81 * 46'000)];
  EXPECT_NEAR(per_minute / per_hour, 60, 6);
  const double rare =
      std::accumulate(rates.begin(), rates.begin() + static_cast<std::ptrdiff_t>(0.81 * 46'000), 0.0);
  EXPECT_NEAR(1 - rare / sum(rates), 0.996, 0.002);
  EXPECT_NEAR(std::log10(rates.back() / rates.front()), 8, 0.1);
}

/// Returns each stream's mean of its minutes and their CV, in the order of the means.
std::vector<std::pair<double, double>> rates_and_cvs(const StreamClass& spec, int minutes) {
  const StreamPopulation population(trace_of({spec}, 60.0 * minutes), 0);
  const auto count = static_cast<std::size_t>(spec.count);
  std::vector<double> sums(count, 0), squares(count, 0), rps;
  for (int minute = 0; minute < minutes; ++minute) {
    population.classes()[0].rates_in(minute, rps);
    for (std::size_t i = 0; i < count; ++i) {
      sums[i] += rps[i];
      squares[i] += rps[i] * rps[i];
    }
  }
  std::vector<std::pair<double, double>> made;
  for (std::size_t i = 0; i < count; ++i) {
    const double mean = sums[i] / minutes;
    made.emplace_back(mean, std::sqrt(squares[i] / minutes - mean * mean) / mean);
  }
  std::ranges::sort(made);
  return made;
}

TEST(StreamPopulation, GammaMinutesHaveTheirCv) {
  StreamClass spec = class_of(4, 4);
  spec.minutes = StreamMinutes::kGamma;
  spec.minute_cv_from = spec.minute_cv_to = 1.4;
  for (const auto& [mean, cv] : rates_and_cvs(spec, 40'000)) {
    EXPECT_NEAR(mean, 1, 0.04);
    EXPECT_NEAR(cv, 1.4, 0.06);
  }
}

// Below the knee 1.4 whatever the rate; above it the CV of a stream 100 times as fast is a tenth.
TEST(StreamPopulation, MinutesOfFastStreamsVaryLess) {
  StreamClass spec = class_of(60, 60);
  spec.rates = StreamRates::kLognormal;
  spec.minutes = StreamMinutes::kGamma;
  spec.minute_cv_from = spec.minute_cv_to = 1.4;
  spec.minute_cv_knee = 1;  // the median
  spec.minute_cv_slope = 0.5;
  const std::vector<std::pair<double, double>> streams = rates_and_cvs(spec, 20'000);
  std::size_t slow = 0;
  for (; slow < streams.size() && streams[slow].second > 1.3; ++slow)
    EXPECT_NEAR(streams[slow].second, 1.4, 0.1);
  EXPECT_GT(slow, 15U);
  EXPECT_LT(slow, 45U);
  const auto& [fastest_rps, fastest_cv] = streams.back();
  for (std::size_t i = slow; i < streams.size(); ++i) {
    const auto& [rps, cv] = streams[i];
    EXPECT_NEAR(cv / fastest_cv / std::sqrt(fastest_rps / rps), 1, 0.15) << rps;
  }
}

// Nine functions of the Azure Functions trace: invocations a minute and CV within the hour
// (workloads/README.md). The middle of what is drawn is within a factor of 2.2 of each.
TEST(StreamPopulation, HasTheMinutesOfAzureFunctions) {
  const StreamClass spec = stream_preset("maf-stable")[0];
  const double middle = std::sqrt(spec.minute_cv_from * spec.minute_cv_to);
  const std::vector<std::pair<double, double>> functions = {{2.7, 3.04},   {5.7, 1.97},   {6.4, 2.04},
                                                            {7.9, 3.60},   {48.0, 0.98},  {115.5, 0.51},
                                                            {238.1, 0.86}, {694.4, 0.11}, {2231.3, 0.12}};
  for (const auto& [per_minute, cv] : functions) {
    const double per_hour = 60 * per_minute;  // the median is one an hour: HasTheRatesOfAzureFunctions
    EXPECT_NEAR(std::log(minute_cv(spec, middle, per_hour) / cv), 0, std::log(2.2)) << per_minute;
  }
  EXPECT_EQ(minute_cv(spec, middle, 1e300), 1e-3);
}

TEST(StreamPopulation, DependsOnItsNumberAlone) {
  StreamClass spec = stream_preset("maf-stable")[0];
  spec.count = 100;
  const std::vector<double> first = StreamPopulation(trace_of({spec}), 10).mean_rps();
  EXPECT_EQ(StreamPopulation(trace_of({spec}), 10).mean_rps(), first);
  spec.population = 2;
  EXPECT_NE(StreamPopulation(trace_of({spec}), 10).mean_rps(), first);
}

class RecordedMinutes : public testing::Test {
 protected:
  void SetUp() override {
    // Of its own: tests of a fixture run at the same time.
    const std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    folder_ = std::filesystem::temp_directory_path() / ("harness_recorded_minutes_" + name);
    std::filesystem::create_directories(folder_);
    std::string text = "hash_func,day";
    for (int minute = 1; minute <= 1440; ++minute) text += "," + std::to_string(minute);
    for (const int function : {1, 2, 3}) {
      for (const int day : {1, 2}) {
        text += "\nf" + std::to_string(function) + "," + std::to_string(day);
        for (int minute = 0; minute < 1440; ++minute)
          text += "," + std::to_string(count(function, day, minute));
      }
    }
    spec_.minutes = StreamMinutes::kRecorded;
    spec_.count = 30;
    trace_ = trace_of({spec_}, 600);
    trace_.file = (folder_ / "functions.csv").string();
    write_file(trace_.file, text + "\n");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  /// f3 is never invoked.
  static int count(int function, int day, int minute) {
    return function == 3 ? 0 : (minute * (7 + 4 * function) + 31 * day) % 97;
  }

  StreamClass spec_;
  TraceSpec trace_;
  std::filesystem::path folder_;
};

TEST_F(RecordedMinutes, AreThoseOfOneFunctionFromSomeMinuteOn) {
  const StreamPopulation population(trace_, 90);
  EXPECT_NEAR(population.expected_requests(), 90 * 600, 1e-6);
  std::vector<std::vector<double>> minutes(10);
  for (std::size_t k = 0; k < 10; ++k)
    population.classes()[0].rates_in(static_cast<std::int64_t>(k), minutes[k]);
  std::vector<int> streams_of(4, 0);
  for (std::size_t i = 0; i < 30; ++i) {
    int fits = 0;
    for (const int function : {1, 2}) {
      for (int start = 0; start < 2880; ++start) {
        double scale = 0;
        bool same = true;
        for (int k = 0; k < 10 && same; ++k) {
          const int at = (start + k) % 2880;
          const int expected = count(function, 1 + at / 1440, at % 1440);
          const double rate = minutes[static_cast<std::size_t>(k)][i];
          if (expected > 0 && scale == 0) scale = rate / expected;
          same = std::abs(rate - scale * expected) <= 1e-6 * rate;
        }
        if (!same) continue;
        ++fits;
        ++streams_of[static_cast<std::size_t>(function)];
      }
    }
    EXPECT_GE(fits, 1) << i;
  }
  EXPECT_GT(streams_of[1], 0);
  EXPECT_GT(streams_of[2], 0);
}

TEST_F(RecordedMinutes, NeedAFileOfFunctions) {
  TraceSpec none = trace_;
  none.file = "";
  EXPECT_EQ(error_of(none), "file: missing; expected the file of the recorded minutes");
  trace_.column = "f3";
  EXPECT_NE(error_of(trace_).find("found no invocations"), std::string::npos) << error_of(trace_);
  write_file(trace_.file, "1\n2\n");
  EXPECT_NE(error_of(trace_).find("found a file of another format; allowed: azure_functions"),
            std::string::npos)
      << error_of(trace_);
}

class RecordedRequests : public testing::Test {
 protected:
  void SetUp() override {
    const std::string name = testing::UnitTest::GetInstance()->current_test_info()->name();
    folder_ = std::filesystem::temp_directory_path() / ("harness_recorded_requests_" + name);
    std::filesystem::create_directories(folder_);
    StreamClass a;
    a.process = StreamProcess::kRecorded;
    a.module = "a";
    StreamClass b = a;
    b.module = "b";
    trace_ = trace_of({a, b}, 3);
    trace_.file = (folder_ / "log.csv").string();
    write_file(trace_.file, "time_ms,model,tokens\n500,b,1\n0.5,a,2\n2500,a,3\n3000,b,4\n2500,b,5\n");
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  TraceSpec trace_;
  std::filesystem::path folder_;
};

TEST_F(RecordedRequests, GoToTheModulesThatTheFileNamesUntilTheEnd) {
  const std::vector<std::pair<TimeNs, StreamId>> expected = {
      {500'000, 0}, {500 * kNsPerMs, 1}, {2500 * kNsPerMs, 0}, {2500 * kNsPerMs, 1}};
  const std::unique_ptr<ArrivalSource> source = make_arrivals(trace_, 0, 1);
  for (const std::size_t span : {1U, 100U}) {
    const std::unique_ptr<ArrivalSource> again = source->restarted();
    std::vector<std::pair<TimeNs, StreamId>> found;
    std::vector<TimeNs> times(span);
    std::vector<StreamId> streams(span);
    while (const std::size_t count = again->next(times, streams)) {
      for (std::size_t i = 0; i < count; ++i) found.emplace_back(times[i], streams[i]);
    }
    EXPECT_EQ(found, expected) << span;
  }
  EXPECT_EQ(source->expected_requests(), 4);
  EXPECT_EQ(StreamPopulation(trace_, 0).remarks(),
            std::vector<std::string>{
                "1 requests of its file come after duration_s = 3 and are left out (0: all are sent)"});
  EXPECT_EQ(StreamPopulation(trace_, 0).mean_rps(), (std::vector<double>{2 / 3.0, 2 / 3.0}));
}

TEST_F(RecordedRequests, AllOfThemWithADurationOfZero) {
  trace_.duration_s = 0;
  check_trace(trace_);
  const StreamPopulation population(trace_, 0);
  EXPECT_EQ(population.expected_requests(), 5);
  EXPECT_EQ(population.remarks().size(), 0U);
  EXPECT_EQ(make_arrivals(trace_, 0, 1)->duration_ns(), 4 * kNsPerS)
      << "whole seconds, the last request at 3 s";
}

TEST_F(RecordedRequests, CountFromTheFirstOfAllWhereTheyHaveDates) {
  write_file(trace_.file, "who;time\nb;2023-11-16 18:00:02\na;2023-11-16 18:00:01\n");
  trace_.column = "who";
  const StreamPopulation population(trace_, 0);
  EXPECT_EQ(population.classes()[0].times()[0], 0);
  EXPECT_EQ(population.classes()[1].times()[0], kNsPerS);
}

TEST_F(RecordedRequests, SayWhatIsWrong) {
  EXPECT_NE(
      error_of(trace_, 5).find("process: found recorded requests, which cannot be scaled, and a rate of 5"),
      std::string::npos);
  TraceSpec other = trace_;
  other.duration_s = 0.4;
  EXPECT_NE(error_of(other).find(
                "duration_s: found 0.4, by when no request of 'b' has come; allowed: more than 0.5"),
            std::string::npos)
      << error_of(other);
  other = trace_;
  other.streams[1].module = "c";
  EXPECT_NE(
      error_of(other).find("module: found 'c', of which " + trace_.file + " has no request; allowed: a, b"),
      std::string::npos)
      << error_of(other);
  other.streams.pop_back();
  EXPECT_NE(error_of(other).find("file: found requests of 'b', which no class has"), std::string::npos)
      << error_of(other);
  other.streams[0].module = "";
  EXPECT_NE(
      error_of(other).find("module: found nothing, with process = \"recorded\"; allowed: the module whose"),
      std::string::npos)
      << error_of(other);
  other = trace_;
  other.streams[1].module = "a";
  EXPECT_NE(error_of(other).find("module: found 'a' twice"), std::string::npos) << error_of(other);
  other = trace_;
  other.streams[1].minutes = StreamMinutes::kGamma;
  EXPECT_NE(error_of(other).find("found rates that change, with process = \"recorded\""), std::string::npos);
  other = trace_;
  other.column = "tokens,model";
  EXPECT_NE(error_of(other).find("column: found 'tokens,model'; allowed: one column"), std::string::npos)
      << error_of(other);
  other.column = "";
  write_file(trace_.file, "time_s,who\n1,a\n2,b\n");
  EXPECT_NE(error_of(other).find("column: found no column 'module' or 'model'"), std::string::npos)
      << error_of(other);
  write_file(trace_.file, "time_s,module,model\n1,a,x\n2,b,y\n");
  EXPECT_NE(error_of(other).find("2 columns of modules; allowed: column = one of module, model"),
            std::string::npos)
      << error_of(other);
  other.file = "";
  EXPECT_EQ(error_of(other), "file: missing; expected the file of the recorded requests");
}

TEST(StreamPopulation, SaysWhatIsWrong) {
  StreamClass bursts = stream_preset("two-streams")[0];
  EXPECT_NE(error_of(trace_of({bursts}), 10).find("bursts, which cannot be scaled"), std::string::npos);
  bursts.offset_ms = 61'000;
  EXPECT_NE(error_of(trace_of({bursts})).find("offset_ms: found 61000; allowed: less than the 60000 ms"),
            std::string::npos);
  bursts.minutes = StreamMinutes::kGamma;
  EXPECT_NE(error_of(trace_of({bursts})).find("minutes: found rates that change"), std::string::npos);
  StreamClass gamma = class_of(1'000'000, 1);
  gamma.minutes = StreamMinutes::kGamma;
  gamma.minute_s = 0.01;
  EXPECT_NE(error_of(trace_of({gamma})).find("at most 1e+09 of all streams"), std::string::npos);
  gamma.minute_cv_from = 4;
  EXPECT_NE(error_of(trace_of({gamma})).find("minute_cv_to: found 3.6; allowed: at least"),
            std::string::npos);
  EXPECT_NE(error_of(trace_of({class_of(600'000, 1), class_of(400'001, 1)})).find("found 1000001 streams"),
            std::string::npos);
  EXPECT_NE(error_of(trace_of({})).find("no class of streams"), std::string::npos);
}

// Section 7: "we assign the 46,000 streams from MAF to models in a round-robin manner".
TEST(StreamsOf, GoToTheEntriesInTurn) {
  const Pipeline pipeline = load_pipeline("shepherd13");
  StreamClass all = class_of(52, 52);
  all.slo_ms = {50, 250};
  StreamClass one = class_of(2, 8);
  one.module = "resnet50";
  const StreamPopulation population(trace_of({all, one}), 0);
  const std::vector<Stream> streams = streams_of(population, pipeline, 400 * kNsPerMs);
  ASSERT_EQ(streams.size(), 54U);
  for (std::size_t i = 0; i < 52; ++i) {
    EXPECT_EQ(streams[i].entry, i % 13);
    EXPECT_EQ(streams[i].slo_ns, (i / 13 % 2 == 0 ? 50 : 250) * kNsPerMs);
    EXPECT_EQ(streams[i].rate_rps, 1);
  }
  EXPECT_EQ(pipeline.modules[streams[53].entry].name, "resnet50");
  EXPECT_EQ(streams[53].slo_ns, 400 * kNsPerMs);
  EXPECT_EQ(streams[53].rate_rps, 4);
  one.module = "resnet51";
  const StreamPopulation wrong(trace_of({one}), 0);
  EXPECT_THROW(streams_of(wrong, pipeline, kNsPerS), InputError);
}

}  // namespace
}  // namespace harness
