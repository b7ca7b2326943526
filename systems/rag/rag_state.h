// What the parts of `rag` tell one another, what they make of it, and the system's parameters.
#pragma once

#include <array>
#include <cstddef>
#include <deque>
#include <span>
#include <vector>

#include "harness/core/params.h"
#include "harness/serving/context.h"
#include "harness/serving/controller.h"
#include "harness/serving/plan.h"

namespace harness {

// What an experiment can tell `rag`.

enum class RagDropping { kProactive, kReactive, kPredict };

struct RagParams {
  RagDropping policy = RagDropping::kProactive;
  double average_window_s = 5;
  double lambda = 0.1;

  void list(ParamList& params) {
    params.choice("policy", policy, {"proactive", "reactive", "predict"},
                  "proactive: drops what it estimates late; reactive: only what is past the SLO; predict: as "
                  "proactive, with oracle knowledge of the output length at a service that ends at its last "
                  "token (PARD section 7)");
    params.number("average_window_s", average_window_s, 0.1, 3600,
                  "window of the recent averages, linearly weighted, newest most");
    params.number(
        "lambda", lambda, 0, 1,
        "quantile of a later batch module's wait, as a share of its execution time (PARD section 4.2)");
  }
};

/// Sums over what one queue has seen since its last report.
struct RagReport {
  static constexpr std::size_t kSize = 5;
  double started = 0;
  double queueing_ns = 0;  ///< of the started visits
  double done = 0;
  double exec_ns = 0;  ///< of the visits done; where a visit ends at its first token, beyond its prefill
  double alone_ns =
      0;  ///< what those visits would have taken alone; shared services that end at the last token

  std::array<double, kSize> values() const { return {started, queueing_ns, done, exec_ns, alone_ns}; }
  static RagReport of(std::span<const double> values);
};

/// What a module has lately measured of itself.
struct RagMeasured {
  double queueing_ns = 0;
  double exec_ns = 0;   ///< mean time of a visit (first token: beyond its prefill); not used of batch modules
  double slowdown = 1;  ///< that time over the time alone
};

/// What is assumed of a module that has measured nothing.
RagMeasured assumed(const Profile& profile);

/// A module's published state.
struct RagState {
  static constexpr std::size_t kSize = 4;
  RagMeasured own;
  double downstream_ns = 0;

  std::array<double, kSize> values() const {
    return {own.queueing_ns, own.exec_ns, own.slowdown, downstream_ns};
  }
  static RagState of(std::span<const double> values);
};

/// The longest path after `module`, of queueing, batch wait and execution as measured; without the prefills
/// of services that end at their first token, which depend on the request.
double downstream_ns(const ServingContext& context, ModuleId module, const Plan& plan,
                     const std::vector<RagMeasured>& measured, double lambda);

/// Mean over the last periods, linearly weighted.
class RecentMean {
 public:
  explicit RecentMean(std::size_t periods) : periods_(periods) {}

  /// A period has ended with this sum over that count (or weight).
  void add(double sum, double count);
  /// `otherwise` when nothing has been counted.
  double mean_or(double otherwise) const;

 private:
  struct Period {
    double sum = 0;
    double count = 0;
  };
  std::size_t periods_;
  std::deque<Period> recent_;  ///< the newest last
};

// Recent averages of one module, and what they say of the modules after it.

/// Publishes a RagState once per period, from its queues' reports (RagReport) and the other modules' states.
class RagController final : public Controller {
 public:
  RagController(const ServingContext& context, ModuleId module, const RagParams& params);

  void on_plan(TimeNs now, const Plan& plan) override;
  void on_report(TimeNs now, QueueId queue, std::span<const double> values, Publication& out) override;
  void on_period(TimeNs now, Publication& out) override;
  void on_state(TimeNs now, ModuleId module, std::span<const double> state, Publication& out) override;

 private:
  const ServingContext& context_;
  ModuleId module_;
  double lambda_;
  Plan plan_;
  RagReport period_;  ///< sums over the reports of this period
  RecentMean queueing_;
  RecentMean exec_;
  RecentMean slowdown_;
  std::vector<RagMeasured> measured_;  ///< by module, as last heard
};

}  // namespace harness
