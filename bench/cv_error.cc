#include "bench/cv_error.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>

#include "harness/core/portable_math.h"

namespace harness {
namespace {

CvError error_over(const CvRule& predictor, std::span<const CvSample> samples,
                   const std::function<bool(const CvSample&)>& counts) {
  CvError error;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (!counts(samples[i])) continue;
    const double by = portable_log(predictor.cv[i]) - samples[i].log_cv;
    ++error.samples;
    error.relative += std::abs(portable_exp(by) - 1);
    error.log_rms += by * by;
  }
  const double count = std::max(1.0, static_cast<double>(error.samples));
  error.relative /= count;
  error.log_rms = std::sqrt(error.log_rms / count);
  return error;
}

}  // namespace

CvError cv_error(const CvRule& predictor, std::span<const CvSample> samples) {
  return error_over(predictor, samples, [](const CvSample&) { return true; });
}

std::string error_table(const std::vector<CvRule>& predictors, std::span<const CvSample> samples) {
  struct Column {
    const char* name;
    std::function<bool(const CvSample&)> counts;
  };
  std::vector<Column> columns = {{"all", [](const CvSample&) { return true; }}};
  const auto add_inputs = [&](const char* name, double from, double to) {
    columns.push_back(
        {name, [=](const CvSample& sample) { return sample.input_cv >= from && sample.input_cv < to; }});
  };
  const auto add_times = [&](const char* name, Jitter jitter) {
    columns.push_back({name, [=](const CvSample& sample) { return sample.jitter == jitter; }});
  };
  add_inputs("0.1-0.3", 0, 0.3);
  add_inputs("0.3-1", 0.3, 1);
  add_inputs("1-2", 1, 2);
  add_inputs("2-4", 2, 4);
  add_inputs("4-8", 4, 1e9);
  add_times("as profiled", Jitter::kOff);
  add_times("+- 30 %", Jitter::kUniform);
  add_times("exponential", Jitter::kExponential);
  columns.push_back({"second stages", [](const CvSample& sample) { return sample.stage == 1; }});
  columns.push_back({"last stages", [](const CvSample& sample) { return sample.neighbours.size() == 1; }});

  std::string head = "| mean relative error |";
  std::string rule = "|---|";
  std::string counts = "| samples |";
  for (const Column& column : columns) {
    head += std::string(" ") + column.name + " |";
    rule += "---|";
    counts += " " + std::to_string(error_over(predictors.front(), samples, column.counts).samples) + " |";
  }
  std::string text = head + " log RMS |\n" + rule + "---|\n";
  for (const CvRule& predictor : predictors) {
    text += "| " + predictor.name + " |";
    char cell[32];
    for (const Column& column : columns) {
      const double relative = error_over(predictor, samples, column.counts).relative;
      std::snprintf(cell, sizeof cell, " %.1f %% |", relative * 100);
      text += cell;
    }
    std::snprintf(cell, sizeof cell, " %.3f |\n", cv_error(predictor, samples).log_rms);
    text += cell;
  }
  return text + counts + " |\n";
}

}  // namespace harness
