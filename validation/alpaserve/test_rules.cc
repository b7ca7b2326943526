// The rules of AlpaServe's fast simulator (alpa-projects/mms, simulator/controller.py at bbecd1d) for workers
// of one GPU and batches of one: a request goes to the replica whose worker is free first, and is refused on
// arrival if it would end late. For experiments of this folder alone.
#include <algorithm>
#include <map>
#include <memory>

#include "harness/serving/batching_scheduler.h"
#include "harness/serving/fifo_policy.h"
#include "harness/serving/system_library.h"

namespace harness {
namespace {

/// When each queue's worker has done all that was accepted. The routers of all modules share it.
using Clocks = std::map<QueueId, TimeNs>;

class FirstFreeRouter final : public Router {
 public:
  FirstFreeRouter(TimeNs exec_ns, TimeNs overhead_ns, std::shared_ptr<Clocks> clocks)
      : exec_ns_(exec_ns), overhead_ns_(overhead_ns), clocks_(std::move(clocks)) {}

  void route(TimeNs now, std::span<const Visit> visits, std::span<const QueueView> queues,
             std::span<std::uint32_t> out) override {
    for (std::size_t i = 0; i < visits.size(); ++i) {
      const auto first = std::min_element(
          queues.begin(), queues.end(),
          [this](const QueueView& a, const QueueView& b) { return (*clocks_)[a.id] < (*clocks_)[b.id]; });
      TimeNs& clock = (*clocks_)[first->id];
      const TimeNs end = std::max(now, clock) + exec_ns_;
      const bool in_time = end + overhead_ns_ <= visits[i].deadline_ns;
      if (in_time) clock = end;
      out[i] = in_time ? static_cast<std::uint32_t>(first - queues.begin()) : kRefused;
    }
  }

 private:
  TimeNs exec_ns_;
  TimeNs overhead_ns_;
  std::shared_ptr<Clocks> clocks_;
};

class AlpaServeRules final : public System {
 public:
  void list(ParamList& params) override {
    params.number("overhead_ms", overhead_ms_, 0, 1e4, "of a request, outside its GPU");
  }
  SystemTraits traits() const override { return {.serves_streams = true, .serves_placements = true}; }
  std::unique_ptr<Scheduler> make_scheduler(const ServingContext& context, QueueId, GroupId) override {
    return std::make_unique<BatchingScheduler<FifoPolicy>>(context, ModuleId{0});  // any: batches of one
  }
  std::unique_ptr<Router> make_router(const ServingContext& context, ModuleId module) override {
    if (module == 0) clocks_ = std::make_shared<Clocks>();  // of a new run
    return std::make_unique<FirstFreeRouter>(context.profiles[module]->latency(1), ms_to_ns(overhead_ms_),
                                             clocks_);
  }

 private:
  double overhead_ms_ = 11;
  std::shared_ptr<Clocks> clocks_;
};

std::unique_ptr<System> make_alpaserve_rules() { return std::make_unique<AlpaServeRules>(); }

}  // namespace
}  // namespace harness

const harness::SystemLibrary* harness_systems() {
  static constexpr harness::SystemEntry kSystems[] = {
      {"alpaserve_rules", "the rules of AlpaServe's simulator (OSDI'23)", harness::make_alpaserve_rules}};
  static constexpr harness::SystemLibrary kLibrary = {harness::kSdkVersion, kSystems};
  return &kLibrary;
}
