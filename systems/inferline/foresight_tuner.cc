#include "systems/inferline/foresight_tuner.h"

#include <algorithm>
#include <span>
#include <vector>

#include "systems/inferline/replicas_for_window.h"

namespace harness {
namespace {

class ForesightTuner final : public Tuner {
 public:
  ForesightTuner(const ServingContext& context, const Hardware& hardware, const Configuration& planned,
                 TimeNs period_ns)
      : context_(context), hardware_(hardware), planned_(planned), period_ns_(period_ns) {
    for (const TimeNs activation_ns : context.activation_ns)
      ahead_.push_back(static_cast<std::size_t>((activation_ns + period_ns - 1) / period_ns));
  }

  std::vector<int> replicas(TimeNs now, std::span<const TimeNs>, const std::vector<int>&) override {
    const auto period = static_cast<std::size_t>(now / period_ns_);
    std::vector<int> wanted(planned_.size(), 1);
    for (std::size_t m = 0; m < wanted.size(); ++m) {
      for (std::size_t ahead = 0; ahead <= ahead_[m]; ++ahead)
        wanted[m] = std::max(wanted[m], needs(period + ahead)[m]);
    }
    return wanted;
  }

 private:
  const std::vector<int>& needs(std::size_t period) {
    while (needs_.size() <= period) {
      const std::vector<TimeNs>& run = context_.planning->run;
      const TimeNs begin_ns = static_cast<TimeNs>(needs_.size()) * period_ns_;
      const TimeNs from_ns = std::max<TimeNs>(0, begin_ns - 2 * context_.slo_ns);
      const TimeNs to_ns = begin_ns + period_ns_;
      const auto first = std::ranges::lower_bound(run, from_ns);
      const QueryWindow window{{first, std::lower_bound(first, run.end(), to_ns)},
                               to_ns - from_ns,
                               static_cast<std::uint64_t>(first - run.begin()),
                               context_.seed};
      needs_.push_back(replicas_for_window(*context_.pipeline, hardware_, planned_, window, context_.slo_ns));
    }
    return needs_[period];
  }

  const ServingContext& context_;
  const Hardware& hardware_;
  Configuration planned_;
  TimeNs period_ns_;
  std::vector<std::size_t> ahead_;       ///< periods that a replica takes to activate, by module
  std::vector<std::vector<int>> needs_;  ///< replicas needed, by period, then by module
};

}  // namespace

std::unique_ptr<Tuner> make_foresight_tuner(const ServingContext& context, const Hardware& hardware,
                                            const Configuration& planned, TimeNs period_ns) {
  return std::make_unique<ForesightTuner>(context, hardware, planned, period_ns);
}

}  // namespace harness
