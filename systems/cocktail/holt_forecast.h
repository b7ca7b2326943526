// Holt's linear exponential smoothing: a level and a trend, for forecasts some steps ahead.
#pragma once

namespace harness {

/// A forecast from a series of values. The first two values set level and trend. After each further value y,
/// level' = a y + (1 - a) (level + trend) and trend' = b (level' - level) + (1 - b) trend, so that a series
/// that is constant or grows steadily is forecast exactly.
class HoltForecast {
 public:
  /// The gains a and b must be above 0 and at most 1.
  HoltForecast(double level_gain, double trend_gain) : level_gain_(level_gain), trend_gain_(trend_gain) {}

  void add(double value) {
    const double before = level_;
    ++values_;
    if (values_ <= 2) {
      level_ = value;
      trend_ = values_ == 1 ? 0 : value - before;
      return;
    }
    level_ = level_gain_ * value + (1 - level_gain_) * (before + trend_);
    trend_ = trend_gain_ * (level_ - before) + (1 - trend_gain_) * trend_;
  }
  /// Returns the forecast for `steps` >= 0 after the last value; 0 before the first value.
  double ahead(double steps) const { return level_ + steps * trend_; }

 private:
  double level_gain_;
  double trend_gain_;
  double level_ = 0;
  double trend_ = 0;
  int values_ = 0;
};

}  // namespace harness
