#include "systems/loki/loki.h"

#include "harness/serving/batching_scheduler.h"
#include "systems/loki/arrival_order_policy.h"
#include "systems/loki/load_balancer.h"
#include "systems/loki/loki_pipelines.h"
#include "systems/loki/loki_router.h"
#include "systems/loki/planning_params.h"
#include "systems/loki/resource_manager.h"
#include "systems/loki/share_of_variants_router.h"
#include "systems/loki/task_budgets.h"

namespace harness {
namespace {

/// The common base of the three systems.
class TreeSystem : public System {
 public:
  explicit TreeSystem(Allocator allocator) : allocator_(allocator) {}

  SystemTraits traits() const override { return {.serves_tasks = true}; }
  TimeNs replan_period_ns(const ServingContext& context) const override {
    return is_for_loki(context) ? s_to_ns(planning_.tables_period_s) : 0;
  }
  std::unique_ptr<Planner> make_planner(const ServingContext& context) const override {
    if (!is_for_loki(context)) return nullptr;
    return std::make_unique<ResourceManager>(context, planning_, allocator_,
                                             TaskBudgets{task_budget_, dropping_.budget_factor});
  }
  std::unique_ptr<Scheduler> make_scheduler(const ServingContext& context, QueueId, GroupId group) override {
    const auto module = static_cast<ModuleId>(group);
    return std::make_unique<BatchingScheduler<ArrivalOrderPolicy>>(context, module, context, module, routing_,
                                                                   dropping_);
  }

 protected:
  std::unique_ptr<Router> by_tables(const ServingContext& context, ModuleId module) {
    if (module == 0) balancer_ = std::make_shared<LoadBalancer>(context, routing_);
    return std::make_unique<LokiRouter>(context, module, routing_, dropping_.budget_factor,
                                        planning_.tables_period_s, balancer_);
  }

  Allocator allocator_;
  PlanningParams planning_;
  DroppingParams dropping_;
  RoutingParams routing_;
  TaskBudget task_budget_ = TaskBudget::kExecution;

 private:
  std::shared_ptr<LoadBalancer> balancer_;
};

class Loki final : public TreeSystem {
 public:
  Loki() : TreeSystem(Allocator::kLoki) {}

  void list(ParamList& params) override {
    planning_.list(params);
    dropping_.list(params);
    routing_.list(params);
  }
  std::unique_ptr<Router> make_router(const ServingContext& context, ModuleId module) override {
    return is_for_loki(context) ? by_tables(context, module) : System::make_router(context, module);
  }
};

/// The way in which a baseline chooses the worker of a visit.
enum class BaselineRouting : std::uint8_t {
  kTables,  ///< routing tables as Loki's
  kOwn      ///< Proteus: the shares of its allocation; hardware scaling: `serving.dispatch`
};

/// Proteus or hardware scaling. Their routers send on all visits that have been served; only queues drop. The
/// authors' simulator makes both drop at each task, and counts drops in Figures 5 and 6.
class Baseline final : public TreeSystem {
 public:
  explicit Baseline(Allocator allocator) : TreeSystem(allocator) {
    routing_.early_dropping = EarlyDropping::kPerTask;
    routing_.drop_at = DropAt::kStart;
    if (allocator != Allocator::kProteus) return;
    by_ = BaselineRouting::kOwn;
    task_budget_ = TaskBudget::kSloShare;
  }

  void list(ParamList& params) override {
    planning_.list(params);
    dropping_.list(params);
    params.choice("early_dropping", routing_.early_dropping, {"none", "last_task", "per_task"},
                  "which visits are dropped when their turn comes: none, those that would be late at a last "
                  "task, or those and what would be over the budget of a task before it");
    if (allocator_ == Allocator::kProteus) {
      params.choice(
          "task_budget", task_budget_, {"execution", "slo_share"},
          "latency budget of a task: budget_factor times its execution, or the SLO over the tasks of "
          "the longest path (the authors' simulator)");
      params.choice(
          "launch", dropping_.launch, {"free", "wait"},
          "when a free worker starts a batch: at once; or when it is full, or its first visit would "
          "miss its limit if it waited any longer (the authors' simulator). Tasks without a limit "
          "(early_dropping) do not wait");
    }
    routing_.list_choice(params);
    if (allocator_ == Allocator::kHwScaling)
      params.choice("routing", by_, {"tables", "dispatch"},
                    "who chooses workers: routing tables as Loki's, or serving.dispatch");
    else
      params.choice("routing", by_, {"tables", "shares"},
                    "who chooses workers: routing tables as Loki's, or the shares of the allocation");
  }
  std::unique_ptr<Router> make_router(const ServingContext& context, ModuleId module) override {
    if (!is_for_loki(context)) return System::make_router(context, module);
    if (by_ == BaselineRouting::kTables) return by_tables(context, module);
    if (allocator_ == Allocator::kProteus)
      return std::make_unique<ShareOfVariantsRouter>(context, module, routing_);
    return System::make_router(context, module);
  }

 private:
  BaselineRouting by_ = BaselineRouting::kTables;
};

}  // namespace

std::unique_ptr<System> make_loki() { return std::make_unique<Loki>(); }
std::unique_ptr<System> make_proteus() { return std::make_unique<Baseline>(Allocator::kProteus); }
std::unique_ptr<System> make_hwscaling() { return std::make_unique<Baseline>(Allocator::kHwScaling); }

}  // namespace harness
