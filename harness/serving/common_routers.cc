#include "harness/serving/common_routers.h"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace harness {
namespace {

class RoundRobinRouter final : public Router {
 public:
  void route(TimeNs, std::span<const Visit> visits, std::span<const QueueView> queues,
             std::span<std::uint32_t> out) override {
    const auto count = static_cast<std::uint32_t>(queues.size());
    for (std::size_t i = 0; i < visits.size(); ++i) {
      if (next_ >= count) next_ = 0;
      out[i] = next_++;
    }
  }

  bool reads_visits() const override { return false; }

 private:
  std::uint32_t next_ = 0;
};

class LeastOutstandingRouter final : public Router {
 public:
  void route(TimeNs, std::span<const Visit> visits, std::span<const QueueView> queues,
             std::span<std::uint32_t> out) override {
    tally_.clear();
    for (const QueueView& queue : queues) tally_.push_back(queue.outstanding);
    for (std::size_t i = 0; i < visits.size(); ++i) {
      std::size_t best = 0;
      for (std::size_t d = 1; d < queues.size(); ++d) {
        const auto left = static_cast<std::int64_t>(tally_[d]) * queues[best].workers;
        const auto right = static_cast<std::int64_t>(tally_[best]) * queues[d].workers;
        if (left < right) best = d;
      }
      ++tally_[best];
      out[i] = static_cast<std::uint32_t>(best);
    }
  }
  bool reads_visits() const override { return false; }
  bool needs_outstanding() const override { return true; }

 private:
  std::vector<int> tally_;
};

}  // namespace

std::unique_ptr<Router> make_round_robin_router() { return std::make_unique<RoundRobinRouter>(); }
std::unique_ptr<Router> make_least_outstanding_router() { return std::make_unique<LeastOutstandingRouter>(); }

}  // namespace harness
