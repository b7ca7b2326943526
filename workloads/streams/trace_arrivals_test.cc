#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "harness/core/input_error.h"
#include "harness/core/param_list.h"
#include "harness/core/random_stream.h"
#include "harness/core/test_refusal.h"
#include "harness/files/file_bytes.h"
#include "workloads/spec/trace_spec.h"
#include "workloads/streams/load_facts.h"
#include "workloads/streams/trace_arrivals.h"
#include "workloads/trace_files/counts.h"
#include "workloads/trace_files/imported_trace.h"
#include "workloads/trace_files/trace_facts.h"
#include "workloads/trace_files/trace_sources.h"

namespace harness {
namespace {

class TraceArrivals : public testing::Test {
 protected:
  void SetUp() override {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = std::filesystem::temp_directory_path() / (std::string("harness_trace_") + test->name());
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  TraceSpec file(const std::string& text, const char* name = "t.csv") const {
    TraceSpec spec;
    spec.shape = "file";
    spec.file = (folder_ / name).string();
    spec.duration_s = 0;
    write_file(spec.file, text);
    return spec;
  }

  std::filesystem::path folder_;
};

std::vector<TimeNs> times_of(const ArrivalSource& source) {
  const auto copy = source.restarted();
  std::vector<TimeNs> times, part(100);
  while (const std::size_t count = copy->next(part))
    times.insert(times.end(), part.begin(), part.begin() + count);
  return times;
}

double requests_of(const TraceSpec& spec, double rate, std::uint64_t seed = 1) {
  return static_cast<double>(times_of(*make_arrivals(spec, rate, seed)).size());
}

class GeneratedShapes : public testing::TestWithParam<std::string> {};

TEST_P(GeneratedShapes, HaveTheTargetMeanOverAnyDuration) {
  for (const double duration_s : {5.0, 60.0, 600.0}) {
    TraceSpec spec;
    spec.shape = GetParam();
    spec.duration_s = duration_s;
    const double expected = 1000 * duration_s;
    // Gamma with a CV of 2: the number of requests varies twice as much as Poisson's.
    EXPECT_NEAR(requests_of(spec, 1000), expected, 4 * spec.cv * std::sqrt(expected)) << duration_s;
    EXPECT_NEAR(make_arrivals(spec, 1000, 1)->expected_requests(), expected, 1e-6 * expected);
  }
}

TEST_P(GeneratedShapes, AreTheSameForTheSameSeed) {
  TraceSpec spec;
  spec.shape = GetParam();
  spec.duration_s = 20;
  EXPECT_EQ(times_of(*make_arrivals(spec, 300, 5)), times_of(*make_arrivals(spec, 300, 5)));
  if (spec.shape != "constant") {
    EXPECT_NE(times_of(*make_arrivals(spec, 300, 5)), times_of(*make_arrivals(spec, 300, 6)));
  }
}

TEST_P(GeneratedShapes, NeedARate) {
  TraceSpec spec;
  spec.shape = GetParam();
  EXPECT_THROW(make_arrivals(spec, 0, 1), InputError);
  EXPECT_THROW(make_arrivals(spec, std::nan(""), 1), InputError);
}

INSTANTIATE_TEST_SUITE_P(All, GeneratedShapes,
                         testing::Values("constant", "poisson", "gamma", "mmpp", "step", "transition", "wiki",
                                         "tweet", "azure", "autoscale-quick", "autoscale-dual"),
                         [](const auto& each) {
                           std::string name = each.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

/// The default compression shows the shapes' rises and falls within the minutes that experiments take.
TEST(FittedShapes, VaryWithinAUsualRun) {
  for (const auto& [shape, least_cv] : {std::pair{"wiki", 0.4}, {"tweet", 0.12}, {"azure", 0.4}}) {
    TraceSpec spec;
    spec.shape = shape;
    spec.duration_s = 300;
    spec.process = ArrivalProcess::kUniform;
    const TraceFacts facts = facts_of(counts_of(*make_arrivals(spec, 1000, 1), 1), 1);
    EXPECT_GT(facts.cv_second, least_cv) << shape;
    EXPECT_GT(facts.peak_over_mean, 1.25) << shape;
  }
}

TEST(StepShape, HasTheRatioBetweenItsShares) {
  TraceSpec spec;
  spec.shape = "step";
  spec.process = ArrivalProcess::kUniform;
  spec.duration_s = 100;
  spec.step_ratio = 3;
  spec.step_from = 0.2;
  spec.step_to = 0.4;
  const std::vector<double> counts = counts_of(*make_arrivals(spec, 140, 1), 20);
  ASSERT_EQ(counts.size(), 5U);
  for (std::size_t i = 0; i < 5; ++i) EXPECT_NEAR(counts[i], i == 1 ? 6000 : 2000, 2) << i;
}

TEST_F(TraceArrivals, ReplayRecordedTimesAsTheyAre) {
  TraceSpec spec = file("0.5\n1.25\n4\n9\n");
  EXPECT_EQ(times_of(*make_arrivals(spec, 0, 1)),
            (std::vector<TimeNs>{500'000'000, 1'250'000'000, 4 * kNsPerS, 9 * kNsPerS}));
  spec.from_s = 1;
  spec.to_s = 9;
  spec.compress = 2;
  EXPECT_EQ(times_of(*make_arrivals(spec, 0, 1)), (std::vector<TimeNs>{125'000'000, 1'500'000'000}));
  spec.duration_s = 1;
  EXPECT_EQ(times_of(*make_arrivals(spec, 0, 1)), (std::vector<TimeNs>{125'000'000}));
  EXPECT_EQ(make_arrivals(spec, 0, 1)->duration_ns(), kNsPerS);
  spec.from_s = 5;
  EXPECT_TRUE(times_of(*make_arrivals(spec, 0, 1)).empty()) << "a window of the file without requests";
  spec.to_s = 0;
  spec.from_s = 9.5;
  EXPECT_TRUE(times_of(*make_arrivals(spec, 0, 1)).empty()) << "in its last second";
  spec.from_s = 10;
  EXPECT_THROW(make_arrivals(spec, 0, 1), InputError) << "after its end";
}

double length_s(const TraceSpec& spec, double rate = 0) {
  return ns_to_s(make_arrivals(spec, rate, 1)->duration_ns());
}

// A file that is shorter than asked for is followed by time without requests, as times and as counts.
TEST_F(TraceArrivals, AsRecordedLastAsLongAsAskedFor) {
  const TraceSpec times = file("# time_unit = s\n0\n0\n2.5\n");
  const TraceSpec counts = file("# bin_s = 1\ncount\n2\n0\n1\n", "counts.csv");
  for (TraceSpec spec : {times, counts}) {
    spec.duration_s = 0;
    EXPECT_EQ(length_s(spec), 3) << "all of the file, in whole bins";
    spec.duration_s = 10;
    EXPECT_EQ(length_s(spec), 10);
    EXPECT_EQ(make_arrivals(spec, 0, 1)->expected_requests(), 3);
    EXPECT_EQ(times_of(*make_arrivals(spec, 0, 1)).size(), 3U);
    spec.to_s = 6;
    EXPECT_EQ(length_s(spec), 6) << "to_s ends it";
    spec.compress = 2;
    EXPECT_EQ(length_s(spec), 3);
    spec.duration_s = 0;
    EXPECT_EQ(length_s(spec), 3);
    spec.to_s = 0;
    EXPECT_EQ(length_s(spec), 1.5);
  }
}

TEST_F(TraceArrivals, OfOneRequestLastAsLongAsAskedFor) {
  TraceSpec one = file("# time_unit = s\n0\n");
  one.duration_s = 10;
  EXPECT_EQ(length_s(one), 10);
  one.duration_s = 0;
  EXPECT_EQ(length_s(one), 1) << "a bin";
  EXPECT_EQ(length_s(one, 20), 1) << "scaled";
  one.bin_s = 0.5;
  EXPECT_EQ(length_s(one, 20), 0.5);
}

// One request a second for 5 s beginning at 2.25 s: bins are counted from from_s on.
TEST_F(TraceArrivals, FromTheMiddleOfABinStillHaveWholeBins) {
  TraceSpec spec = file("# time_unit = s\n0\n1\n2\n3\n4\n");
  spec.duration_s = 0;
  spec.from_s = 2.25;
  EXPECT_EQ(length_s(spec), 2);
  EXPECT_EQ(times_of(*make_arrivals(spec, 0, 1)), (std::vector<TimeNs>{750'000'000, 1'750'000'000}));
}

TEST_F(TraceArrivals, OfAWindowWithoutRequestsHaveNoneAtAnyRate) {
  TraceSpec counts = file("# bin_s = 1\ncount\n5\n0\n0\n5\n", "counts.csv");
  counts.from_s = 1;
  counts.to_s = 3;
  for (const double rate : {0.0, 100.0})
    EXPECT_EQ(make_arrivals(counts, rate, 1)->expected_requests(), 0) << rate;
}

TEST_F(TraceArrivals, AFileIsReadOnceUntilItOrWhatReadsItChanges) {
  const TraceSpec spec = file("0.5\n1.5\n1.75\n");
  const auto first = recorded_trace(spec);
  TraceSpec later = spec;
  later.duration_s = 1;
  later.to_s = 1.6;
  EXPECT_EQ(recorded_trace(later), first) << "neither changes what the file holds";
  TraceSpec finer = spec;
  finer.bin_s = 0.5;
  EXPECT_EQ(recorded_trace(finer)->bin_s, 0.5);
  EXPECT_EQ(recorded_trace(spec), first) << "both are kept";
  for (const char* name : {"a.csv", "b.csv", "c.csv", "d.csv"})
    EXPECT_EQ(recorded_trace(file("7.5\n", name))->times_ns, std::vector<TimeNs>{7'500'000'000});
  EXPECT_EQ(recorded_trace(spec)->times_ns, first->times_ns) << "it is read again after four others";
  EXPECT_EQ(recorded_trace(file("0.5\n1.5\n2.75\n"))->times_ns.back(), 2'750'000'000)
      << "another text as long";
  std::filesystem::remove(spec.file);
  EXPECT_TRUE(holds(refusal_of([&] { recorded_trace(spec); }), "t.csv", "no such file"));
}

/// A key that is not applied is refused; at a rate both keys are applied.
TEST_F(TraceArrivals, RefuseWhatRecordedTimesCannotDo) {
  TraceSpec repeated = file("0.1\n0.2\n0.3\n1.5\n");
  repeated.duration_s = 4;
  TraceSpec clipped = repeated;
  TraceSpec stretched = repeated;
  repeated.repeat = true;
  clipped.clip_rps = 1;
  stretched.contrast = 2;
  const std::string as_recorded = " for a trace as it was recorded; allowed: a rate above 0";
  const std::string as_counts = as_recorded + ", at which recorded times become counts";
  for (const auto& refused : {std::pair{repeated, "repeat: found repeat" + as_counts},
                              {clipped, "clip_rps: found clip_rps" + as_counts},
                              {stretched, "contrast: found contrast" + as_recorded}})
    EXPECT_EQ(refusal_of([&] { make_arrivals(refused.first, 0, 1); }), refused.second);
  for (TraceSpec* spec : {&repeated, &clipped, &stretched}) spec->process = ArrivalProcess::kUniform;
  EXPECT_EQ(counts_of(*make_arrivals(repeated, 20, 1), 1), (std::vector<double>{30, 10, 30, 10}));
  EXPECT_EQ(counts_of(*make_arrivals(clipped, 20, 1), 1), (std::vector<double>{20, 20}));
  EXPECT_EQ(counts_of(*make_arrivals(stretched, 20, 1), 1), (std::vector<double>{40, 0})) << "of 30 and 10";
}

TEST(Contrast, KeepsTheTargetMeanOfEveryShapeWithACurve) {
  std::vector<std::string> shapes = autoscale_shape_names();
  shapes.insert(shapes.end(), {"wiki", "tweet", "azure"});
  for (const std::string& shape : shapes) {
    SCOPED_TRACE(shape);
    TraceSpec spec;
    spec.shape = shape;
    spec.duration_s = 1800;
    double flatter = 0;  // the peak over the mean
    for (const double contrast : {0.0, 0.5, 1.0, 3.0}) {
      spec.contrast = contrast;
      EXPECT_NEAR(make_arrivals(spec, 500, 1)->expected_requests(), 500 * spec.duration_s, 1e-3);
      spec.scale_to = ScaleTo::kPeak;
      const double peak_over_mean = 500 * spec.duration_s / make_arrivals(spec, 500, 1)->expected_requests();
      spec.scale_to = ScaleTo::kMean;
      EXPECT_GT(peak_over_mean, flatter);
      if (contrast == 0) {
        EXPECT_NEAR(peak_over_mean, 1, 1e-9);
      }
      flatter = peak_over_mean;
    }
  }
}

TEST_F(TraceArrivals, ScaleRecordedTimesByTheirCounts) {
  TraceSpec spec = file("0.1\n0.2\n0.3\n1.5\n");
  spec.process = ArrivalProcess::kUniform;
  EXPECT_EQ(counts_of(*make_arrivals(spec, 200, 1), 1), (std::vector<double>{300, 100}));
}

TEST_F(TraceArrivals, ReplayCountsAsRecordedOrScaled) {
  TraceSpec spec = file("# bin_s = 1\ncount,more\n10,1\n30,1\n20,1\n");
  spec.column = "count";
  spec.process = ArrivalProcess::kUniform;
  EXPECT_EQ(counts_of(*make_arrivals(spec, 0, 1), 1), (std::vector<double>{10, 30, 20}));
  spec.scale_by = ScaleBy::kRaw;
  EXPECT_EQ(counts_of(*make_arrivals(spec, 40, 1), 1), (std::vector<double>{20, 60, 40}));
  spec.scale_to = ScaleTo::kPeak;
  EXPECT_EQ(counts_of(*make_arrivals(spec, 60, 1), 1), (std::vector<double>{20, 60, 40}));
  TraceSpec sum = file("# bin_s = 1\ncount,more\n10,1\n30,1\n20,1\n");
  sum.column = "1,2";
  sum.process = ArrivalProcess::kUniform;
  EXPECT_EQ(counts_of(*make_arrivals(sum, 0, 1), 1), (std::vector<double>{11, 31, 21}));
}

// As it was recorded: each bin has its count, whatever places the requests within it, in any window.
TEST_F(TraceArrivals, KeepEachBinsCountAsRecorded) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    RandomStream random(seed, "counts");
    std::vector<double> counts;
    std::string text = "# bin_s = 2\ncount\n";
    for (int bin = 0; bin < 50; ++bin) {
      counts.push_back(random.below(3) == 0 ? 0 : static_cast<double>(random.below(40)));
      text += text_of(counts.back()) + "\n";
    }
    TraceSpec spec = file(text);
    for (const ArrivalProcess process :
         {ArrivalProcess::kPoisson, ArrivalProcess::kUniform, ArrivalProcess::kGamma}) {
      spec.process = process;
      spec.from_s = 2 * static_cast<double>(random.below(10));
      spec.duration_s = 40;
      const auto first = counts.begin() + static_cast<std::ptrdiff_t>(spec.from_s / 2);
      const auto arrivals = make_arrivals(spec, 0, seed);
      std::vector<double> found = counts_of(*arrivals, 2);
      found.resize(20);
      EXPECT_EQ(found, std::vector<double>(first, first + 20)) << seed;
      const std::vector<TimeNs> times = times_of(*arrivals);
      EXPECT_TRUE(std::is_sorted(times.begin(), times.end()));
      EXPECT_EQ(times_of(*make_arrivals(spec, 0, seed)), times);
    }
  }
  TraceSpec mmpp = file("# bin_s = 1\n5\n");
  mmpp.process = ArrivalProcess::kMmpp;
  EXPECT_THROW(make_arrivals(mmpp, 0, 1), InputError);
}

// Within a bin Poisson arrivals are uniform: the mean place is 1/2, its variance 1/12.
TEST_F(TraceArrivals, PlaceCountedRequestsUniformlyInTheirBin) {
  const TraceSpec spec = file("# bin_s = 1\n20000\n");
  double sum = 0;
  double squares = 0;
  for (const TimeNs time : times_of(*make_arrivals(spec, 0, 3))) {
    sum += ns_to_s(time);
    squares += ns_to_s(time) * ns_to_s(time);
  }
  const double mean = sum / 20000;
  EXPECT_NEAR(mean, 0.5, 4 * std::sqrt(1.0 / 12 / 20000));
  EXPECT_NEAR(squares / 20000 - mean * mean, 1.0 / 12, 0.003);
}

std::vector<std::string> remarks_of(const TraceSpec& spec, double rate) {
  LoadFacts notes;
  make_arrivals(spec, rate, 1, &notes);
  return notes.remarks;
}

TEST_F(TraceArrivals, RemarkOnWhatWasReadAndWhatIsNotAsRecorded) {
  std::string text = "# bin_s = 1\ncount\n";
  for (int second = 0; second < 120; ++second) text += second % 10 == 0 ? "190\n" : "10\n";
  TraceSpec spec = file(text);
  const std::string read =
      "counts in column 'count', bins of 1 s; 3360 requests over 120 s, 0 of 120 bins empty";
  EXPECT_EQ(remarks_of(spec, 100), std::vector<std::string>{read}) << "bursts are kept";
  EXPECT_EQ(remarks_of(spec, 0), std::vector<std::string>{read});
  spec.duration_s = 60;
  EXPECT_EQ(remarks_of(spec, 0), std::vector<std::string>{read + "; 60 s of them are sent (duration_s)"});
  spec.from_s = 60;
  EXPECT_EQ(remarks_of(spec, 0), std::vector<std::string>{read}) << "to the end";
  spec.from_s = spec.duration_s = 0;
  spec.scale_by = ScaleBy::kSmoothed;
  const std::vector<std::string> smoothed = remarks_of(spec, 100);
  ASSERT_EQ(smoothed.size(), 2U);
  EXPECT_NE(smoothed[1].find("where 6.79 was recorded (scale_by = \"raw\" keeps it)"), std::string::npos)
      << smoothed[1];
  spec.scale_by = ScaleBy::kAuto;
  spec.from_s = 90;
  spec.duration_s = 120;
  for (const double rate : {0.0, 50.0}) {
    ASSERT_EQ(remarks_of(spec, rate).size(), 2U);
    EXPECT_EQ(
        remarks_of(spec, rate)[1].rfind("the file ends 30 s after from_s = 90, duration_s asks for 120", 0),
        0U)
        << remarks_of(spec, rate)[1];
  }
  spec.repeat = true;
  EXPECT_EQ(remarks_of(spec, 50).size(), 1U);
  EXPECT_TRUE(remarks_of(TraceSpec(), 50).empty()) << "a generated shape";
  // Compressed tenfold, a second is as even as ten; also of times, as they are.
  TraceSpec compressed = file(text);
  compressed.compress = 10;
  std::string times = "# time_unit = s\n";
  for (int i = 0; i < 600; ++i) times += text_of(i / 100 * 10 + (i % 100) / 200.0) + "\n";
  TraceSpec bursts = file(times, "times.txt");
  bursts.compress = 10;
  for (const auto& [of, rate] :
       {std::pair{compressed, 0.0}, {compressed, 50.0}, {bursts, 0.0}, {bursts, 50.0}}) {
    const std::vector<std::string> found = remarks_of(of, rate);
    EXPECT_NE(found.back().find("(compress: a replayed second is several recorded ones)"), std::string::npos)
        << found.back();
  }
  // A clock that began long before the first request.
  TraceSpec late = file("# time_unit = s\n500\n501\n503\n", "late.txt");
  EXPECT_EQ(remarks_of(late, 0).back(),
            "the first request comes 500 s after from_s: from_s = 500 begins with it");
  late.from_s = 500;
  EXPECT_EQ(remarks_of(late, 0).size(), 1U);
}

TEST_F(TraceArrivals, SayThatWholeSecondsAreSentAtOnce) {
  const std::string said =
      "the times are whole seconds, and the requests of one are sent at once, 2.5 on average";
  const TraceSpec seconds = file("# time_unit = s\n1\n1\n1\n2\n2\n");
  EXPECT_NE(remarks_of(seconds, 0).back().find(said), std::string::npos) << remarks_of(seconds, 0).back();
  for (const std::string& remark : remarks_of(seconds, 10)) EXPECT_EQ(remark.find(said), std::string::npos);
  for (const char* other : {"# time_unit = s\n1\n1.5\n1.5\n2\n", "# time_unit = s\n1\n2\n3\n3\n"}) {
    for (const std::string& remark : remarks_of(file(other, "other.txt"), 0))
      EXPECT_EQ(remark.find("whole seconds"), std::string::npos) << other;
  }
}

// By hand: one second in ten has 190 of 280 requests, whose mean is 28 a second; smoothed over ten seconds,
// or compressed tenfold, each second has 28.
TEST_F(TraceArrivals, NoteThePeakOverTheMeanInTheLogAndAsSent) {
  std::string text = "# bin_s = 1\ncount\n";
  std::string times = "# time_unit = s\n";
  for (int second = 0; second < 120; ++second) {
    const int count = second % 10 == 0 ? 190 : 10;
    text += std::to_string(count) + "\n";
    for (int i = 0; i < count; ++i) times += text_of(second + i / static_cast<double>(count)) + "\n";
  }
  const auto expect_peaks = [](const TraceSpec& spec, double rate, double recorded, double sent) {
    LoadFacts notes;
    make_arrivals(spec, rate, 1, &notes);
    constexpr double kEnd = 0.01;  // recorded times end with the last one, 0.1 s before the last bin does
    EXPECT_NEAR(notes.recorded_peak_over_mean, recorded, kEnd) << rate;
    EXPECT_NEAR(notes.sent_peak_over_mean, sent, kEnd) << rate;
  };
  const double peak = 190 / 28.0;
  const TraceSpec counts = file(text);
  expect_peaks(counts, 0, peak, peak);
  expect_peaks(counts, 100, peak, peak);
  const TraceSpec sent = file(times, "times.txt");
  expect_peaks(sent, 0, peak, peak);
  expect_peaks(sent, 100, peak, peak);
  TraceSpec quiet = sent;
  quiet.from_s = 1;
  quiet.duration_s = 9;
  expect_peaks(quiet, 0, 1, 1);
  TraceSpec within = file("# time_unit = s\n0\n0.01\n0.02\n0.03\n0.6\n1.6\n2.6\n3.6\n", "within.txt");
  within.from_s = 0.5;
  within.duration_s = 3;
  expect_peaks(within, 0, 1, 1);
  TraceSpec smoothed = counts;
  smoothed.from_s = 5;
  smoothed.to_s = 115;
  smoothed.scale_by = ScaleBy::kSmoothed;
  smoothed.smooth_s = 1000;
  expect_peaks(smoothed, 100, peak, 1);
  TraceSpec compressed = counts;
  compressed.compress = 10;
  for (const double rate : {0.0, 100.0}) expect_peaks(compressed, rate, peak, 1);
  LoadFacts notes;
  make_arrivals(TraceSpec(), 50, 1, &notes);
  EXPECT_TRUE(std::isnan(notes.recorded_peak_over_mean) && std::isnan(notes.sent_peak_over_mean));
}

// Send times keep their bursts when they are scaled, and counts that are bursty; Poisson noise is smoothed.
TEST_F(TraceArrivals, SmoothPoissonNoiseAlone) {
  RandomStream random(9, "times");
  std::string times = "# time_unit = s\n";
  for (double t = random.exponential() / 20; t < 600; t += random.exponential() / 20)
    times += text_of(t) + "\n";
  TraceSpec spec = file(times);
  const auto peak_of = [](const TraceSpec& of) {
    return facts_of(counts_of(*make_arrivals(of, 2000, 1), 1), 1).peak_over_mean;
  };
  EXPECT_GT(peak_of(spec), 1.4) << "raw";
  const std::vector<double> counts = counts_of(*make_arrivals(spec, 0, 1), 1);
  EXPECT_LT(peak_of(file(counts_text("t", 1, counts))), 1.3) << "smoothed";
}

/// 100 requests of a bin have a noise of 10 %, 4,000 of 1.6 %.
TEST_F(TraceArrivals, SayWhatScalingDoesToCountingNoise) {
  const auto remarks_of = [](const TraceSpec& spec, double rate) {
    LoadFacts notes;
    make_arrivals(spec, rate, 1, &notes);
    std::string all;
    for (const std::string& remark : notes.remarks) all += remark + "\n";
    return all;
  };
  TraceSpec minutes = file(counts_text("t", 60, std::vector<double>(20, 100)));
  minutes.duration_s = 1200;
  const std::string said = remarks_of(minutes, 4000.0 / 60);
  EXPECT_TRUE(holds(said, "scaled 40 times: the 100 requests of a bin of 60 s have a counting noise of 10 %",
                    "4e+03 requests would have 1.6 %"));
  EXPECT_EQ(said.find("smoothed"), std::string::npos) << "nothing smooths bins of a minute";
  EXPECT_EQ(remarks_of(minutes, 900.0 / 60).find("scaled"), std::string::npos) << "9 times";
  minutes.scale_by = ScaleBy::kSmoothed;
  EXPECT_TRUE(holds(remarks_of(minutes, 10), "does nothing to bins of 60 s: smooth_s = 30 is less"));
  minutes.smooth_s = 120;
  EXPECT_EQ(remarks_of(minutes, 4000.0 / 60).find("noise"), std::string::npos);
  TraceSpec seconds = file(counts_text("t", 1, std::vector<double>(60, 100)));
  seconds.scale_by = ScaleBy::kRaw;
  EXPECT_TRUE(holds(remarks_of(seconds, 4000), "(scale_by = \"smoothed\" takes most of it out)"));
}

TEST_F(TraceArrivals, CompressAndRepeatCounts) {
  TraceSpec spec = file("# bin_s = 60\n600\n1200\n");
  spec.process = ArrivalProcess::kUniform;
  spec.compress = 60;
  spec.repeat = true;
  spec.duration_s = 3;
  EXPECT_EQ(counts_of(*make_arrivals(spec, 0, 1), 1), (std::vector<double>{600, 1200, 600}));
}

TEST_F(TraceArrivals, ReadGzippedFiles) {
  const TraceSpec spec = file("1\n2.0\n", "t.txt.gz");
  EXPECT_EQ(times_of(*make_arrivals(spec, 0, 1)), (std::vector<TimeNs>{kNsPerS, 2 * kNsPerS}));
  EXPECT_EQ(trace_checksum(spec).size(), 64U);
}

TEST(CheckTrace, NamesPlaceAndNearest) {
  TraceSpec spec;
  spec.shape = "wikki";
  spec.place_file = "e.toml";
  spec.place_line = 12;
  try {
    check_trace(spec);
    FAIL();
  } catch (const InputError& error) {
    const std::string line = error.what();
    EXPECT_EQ(line.rfind("e.toml:12: shape: found 'wikki'", 0), 0U) << line;
    EXPECT_NE(line.find("did you mean wiki?"), std::string::npos) << line;
  }
}

TEST(CheckTrace, RefusesWhatDoesNotGoTogether) {
  const auto refuses = [](auto change) {
    TraceSpec spec;
    change(spec);
    EXPECT_THROW(check_trace(spec), InputError);
  };
  refuses([](TraceSpec& spec) { spec.shape = "file"; });
  refuses([](TraceSpec& spec) { spec.file = "x"; });
  refuses([](TraceSpec& spec) { spec.format = "csv"; });
  refuses([](TraceSpec& spec) { spec.duration_s = 0; });
  refuses([](TraceSpec& spec) { spec.from_s = 9, spec.to_s = 9; });
  refuses([](TraceSpec& spec) { spec.contrast = 2; });
  refuses([](TraceSpec& spec) { spec.shape = "step", spec.contrast = 2; });
  refuses([](TraceSpec& spec) { spec.shape = "step", spec.step_from = 0.5, spec.step_to = 0.2; });
  refuses([](TraceSpec& spec) {
    spec.shape = "file", spec.file = "/nowhere/x", spec.to_s = -1, spec.format = "?";
  });
  TraceSpec missing;
  missing.shape = "file";
  missing.file = "/nowhere/x";
  EXPECT_THROW(make_arrivals(missing, 1, 1), InputError);
}

TEST(TraceSpecList, HasADocumentationForEachParameter) {
  TraceSpec spec;
  ParamList params;
  spec.list(params);
  for (const Param& param : params.params()) {
    EXPECT_GT(param.doc.size(), 20U) << param.name;
    EXPECT_TRUE(param.set(param.get())) << param.name;
  }
  EXPECT_FALSE(params.find("cv")->set(0.0));
  EXPECT_FALSE(params.find("process")->set(std::string("normal")));
}

TEST_F(TraceArrivals, RefusesMoreChangesOfStateThanAnyoneWaitsFor) {
  TraceSpec spec;
  spec.shape = "mmpp";
  spec.duration_s = 1e9;
  spec.mmpp_high_s = 0.001;
  EXPECT_THROW(make_arrivals(spec, 1, 1), InputError);
  spec.duration_s = 1000;
  EXPECT_EQ(make_arrivals(spec, 1, 1)->duration_ns(), 1000 * kNsPerS);
}

// The default of 60 s is no length that anybody asked for.
TEST_F(TraceArrivals, WithoutADurationLastAsLongAsTheFile) {
  TraceSpec spec = file("# time_unit = s\n0\n2.5\n");
  spec.duration_s = TraceSpec().duration_s;
  EXPECT_EQ(length_s(spec), 3);
  EXPECT_EQ(remarks_of(spec, 0).size(), 1U) << "what was read";
  spec.places["duration_s"] = {};
  EXPECT_EQ(length_s(spec), 60);
  EXPECT_NE(remarks_of(spec, 0).back().find("the file ends 3 s after from_s = 0, duration_s asks for 60"),
            std::string::npos);
  spec.duration_s = 5;
  spec.to_s = 4;
  EXPECT_NE(remarks_of(spec, 0).back().find("the file ends 3 s after from_s = 0, to_s asks for 4"),
            std::string::npos);
}

}  // namespace
}  // namespace harness
