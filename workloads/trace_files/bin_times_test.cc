// Times beside counts: bins as long as they are apart, or refused.
#include "workloads/trace_files/bin_times.h"

#include <gtest/gtest.h>

#include <random>

#include "harness/core/params.h"
#include "harness/core/test_refusal.h"
#include "workloads/trace_files/trace_import.h"

namespace harness {
namespace {

/// Rows "time,count" whose times are `step` apart, from `first` on; a time may be written as a stamp.
std::vector<std::string> timed_rows(double first, double step, bool stamps) {
  constexpr int kRows = 50;
  std::vector<std::string> rows;
  for (int i = 0; i < kRows; ++i) {
    const std::string minute = (i < 10 ? "0" : "") + std::to_string(i);
    rows.push_back((stamps ? "2024-02-29 18:" + minute + ":00.5" : text_of(first + i * step)) + "," +
                   std::to_string(i));
  }
  return rows;
}

std::string joined_lines(const std::string& header, const std::vector<std::string>& rows) {
  std::string text = header;
  for (const std::string& row : rows) text += row + "\n";
  return text;
}

// Wherever a row is missing, comes twice or stands in another's place: as recorded, or refused at its line.
TEST(ReadTrace, RefusesCountsWhoseTimesAreUnsortedRepeatedOrGapped) {
  std::mt19937 random(25);
  const std::string headers[] = {"time,n\n", "Timestamp,n\n", "minute,n\n", "t_ms,n\n", ""};
  for (const std::string& header : headers) {
    for (const bool stamps : {false, true}) {
      const bool has_unit = header == "minute,n\n" || header == "t_ms,n\n";
      for (const double step : {0.1, 1.0, 60.0, 1000.0}) {
        const std::vector<std::string> rows =
            timed_rows(random() % 2 == 0 || has_unit ? 0 : 1.7e9, step, stamps);
        const auto counts_in = [&](const std::vector<std::string>& lines) {
          const bool is_plain = !stamps && !has_unit;
          TraceSpec spec;
          spec.shape = "file";
          spec.format = "counts";
          if (is_plain) spec.time_unit = TimeUnit::kSeconds;
          if (header.empty() && !stamps) spec.bin_s = step;
          return read_trace("t.csv", joined_lines(header, lines), spec);
        };
        EXPECT_EQ(counts_in(rows).counts.size(), rows.size()) << header << step;
        const double unit = header == "t_ms,n\n" ? 1e-3 : header == "minute,n\n" ? 60 : 1;
        EXPECT_NEAR(counts_in(rows).bin_s, stamps ? 60 : step * unit, 1e-9 * step * unit) << header;
        for (int i = 0; i < 20; ++i) {
          std::vector<std::string> wrong = rows;
          const std::size_t at = 2 + random() % (rows.size() - 3);  // neither of the first two, nor the last
          if (i % 3 == 0) wrong.erase(wrong.begin() + static_cast<std::ptrdiff_t>(at));
          if (i % 3 == 1) wrong[at] = wrong[at - 1];
          if (i % 3 == 2) std::swap(wrong[at], wrong[at + 1]);
          EXPECT_TRUE(holds(refusal_of([&] { counts_in(wrong); }),
                            "t.csv:" + std::to_string(at + (header.empty() ? 1 : 2)) + ":", " after ",
                            "in order"))
              << joined_lines(header, wrong);
        }
      }
    }
  }
}

}  // namespace
}  // namespace harness
