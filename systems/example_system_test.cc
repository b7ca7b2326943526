// The example of README.md, compiled and driven by hand.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "harness/serving/test_params.h"
#include "harness/serving/test_world.h"

#define make_freshest make_freshest_of_readme  // whoever has followed the page has a make_freshest

// README: freshest.cc
#include <memory>
#include <vector>

#include "harness/serving/batching_scheduler.h"
#include "harness/serving/system.h"

namespace harness {
namespace {

struct FreshestParams {
  double margin_ms = 0;

  void list(ParamList& params) {
    params.number("margin_ms", margin_ms, 0, 1e4,
                  "a visit is dropped that would end later than this before its deadline");
  }
};

/// Newest first; a visit whose turn comes too late to end in time is dropped.
class FreshestPolicy {
 public:
  explicit FreshestPolicy(const FreshestParams& params) : margin_ns_(ms_to_ns(params.margin_ms)) {}

  void on_plan(TimeNs, const ModulePlan& plan) { exec_ns_ = plan.exec_ns; }
  void start(TimeNs, Decisions&) {}
  void push(TimeNs, const Visit& visit) { stack_.push_back(visit); }
  bool erase(VisitId id) {
    return std::erase_if(stack_, [id](const Visit& visit) { return visit.id == id; }) > 0;
  }
  bool empty() const { return stack_.empty(); }

  int fill(TimeNs, const BatchSlot& slot, Decisions& out) {
    int joined = 0;
    while (joined < slot.room && !stack_.empty()) {
      const Visit visit = stack_.back();
      stack_.pop_back();
      if (slot.start_ns + exec_ns_ + margin_ns_ > visit.deadline_ns) {
        out.drop(visit.id, DropReason::kEstimatedLate);
      } else {
        out.join(slot.worker, visit.id);
        ++joined;
      }
    }
    return joined;
  }

  void on_started(TimeNs, const BatchView&) {}
  void on_done(TimeNs, const BatchView&) {}
  void on_state(TimeNs, ModuleId, std::span<const double>) {}
  void on_timer(TimeNs, Decisions&) {}

 private:
  TimeNs margin_ns_;
  TimeNs exec_ns_ = 0;
  std::vector<Visit> stack_;
};

class Freshest final : public System {
 public:
  void list(ParamList& params) override { params_.list(params); }
  std::unique_ptr<Scheduler> make_scheduler(const ServingContext& context, QueueId,
                                            ModuleId module) override {
    return std::make_unique<BatchingScheduler<FreshestPolicy>>(context, module, params_);
  }

 private:
  FreshestParams params_;
};

}  // namespace

std::unique_ptr<System> make_freshest() { return std::make_unique<Freshest>(); }

}  // namespace harness
// README end

namespace harness {
namespace {

std::string text_of_file(const char* path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t from = text.find(begin);
  if (from == std::string::npos) return "no " + begin;
  const std::size_t start = from + begin.size();
  return text.substr(start, text.find(end, start) - start);
}

TEST(ExampleSystem, StandsInTheReadmeAsItIsCompiledHere) {
  const std::string here =
      between(text_of_file("systems/example_system_test.cc"), "// README: freshest.cc\n", "// README end");
  const std::string there =
      between(text_of_file("systems/README.md"), "```cpp\n// systems/freshest/freshest.cc\n", "```");
  EXPECT_EQ(here, there);
}

TEST(ExampleSystem, ServesTheNewestAndDropsWhatIsTooLate) {
  TestWorld world({linear_profile(10, 5, 2)}, 100 * kMs, 1);
  const std::unique_ptr<System> system = make_freshest();
  set_params(*system, {{"margin_ms", 5.0}});
  SchedulerDriver driver(system->make_scheduler(world.context, 0, 0), world.context);
  driver.plan(0, world.plan({2}));
  driver.arrive(0, 1, 0);
  driver.arrive(0, 2, -25 * kMs);  // due at 75 ms: 50 + 20 + 5
  driver.arrive(0, 3, -25 * kMs - 1);
  driver.arrive(0, 4, 0);
  driver.cancel(0, 4);
  EXPECT_EQ(driver.add(50 * kMs, 0), "drop 3 estimated_late; join 0<2; join 0<1; launch 0");
}

}  // namespace
}  // namespace harness
