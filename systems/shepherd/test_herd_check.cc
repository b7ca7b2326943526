#include "systems/shepherd/test_herd_check.h"

#include <cmath>
#include <cstddef>
#include <map>

namespace harness {
namespace {

// Section 5.2, written as its two cases.
double affinity_of_pair(double alpha_i, double beta_i, double alpha_j, double beta_j) {
  const double one_request = (alpha_i + beta_i) / alpha_j;
  const double slack = beta_j - beta_i + alpha_j;
  if (slack <= 0) return one_request;
  const double by_latency = alpha_i / slack;
  const double by_request = alpha_i / alpha_j;
  const double larger = by_latency > by_request ? by_latency : by_request;
  return one_request < larger ? one_request : larger;
}

class Checker {
 public:
  Checker(const HerdInput& input, const HerdPlan& plan) : input_(input), plan_(plan) {}

  std::vector<std::string> run() {
    if (!well_formed()) return found_;
    check_sizes();
    check_memory();
    check_surjectivity();
    check_affinity();
    check_claims();
    return found_;
  }

 private:
  void report(const std::string& what) { found_.push_back(what); }
  static std::string group(std::size_t g) { return "group " + std::to_string(g); }
  const HerdModel& model(int index) const { return input_.models[static_cast<std::size_t>(index)]; }

  // Model-streams of a model.
  int streams_of(int index) const {
    const int streams = model(index).streams;
    return streams == 0 || streams > input_.params.shares ? input_.params.shares : streams;
  }

  bool well_formed() {
    for (std::size_t g = 0; g < plan_.groups.size(); ++g) {
      const HerdGroup& here = plan_.groups[g];
      if (here.models.size() != here.shares.size()) report("form: not one share per model in " + group(g));
      for (const int index : here.models) {
        if (index < 0 || index >= static_cast<int>(input_.models.size()))
          report("form: an unknown model in " + group(g));
      }
      for (const int shares : here.shares)
        if (shares < 1) report("form: a model without a stream in " + group(g));
    }
    return found_.empty();
  }

  void check_sizes() {
    long total = 0;
    for (std::size_t g = 0; g < plan_.groups.size(); ++g) {
      const int gpus = plan_.groups[g].gpus;
      total += gpus;
      if (gpus < 1) report("(a) " + group(g) + " has no GPU");
      if (input_.params.group_worker_limit > 0 && gpus > input_.params.group_worker_limit)
        report("(b) " + group(g) + " has " + std::to_string(gpus) + " GPUs");
    }
    if (total > input_.gpus)
      report("(a) " + std::to_string(total) + " GPUs of " + std::to_string(input_.gpus));
    if (input_.params.max_groups > 0 && static_cast<int>(plan_.groups.size()) > input_.params.max_groups)
      report("number of groups: " + std::to_string(plan_.groups.size()));
  }

  void check_memory() {
    for (std::size_t g = 0; g < plan_.groups.size(); ++g) {
      double bytes = input_.params.reserved_mb * 1e6;
      for (const int index : plan_.groups[g].models) bytes += static_cast<double>(model(index).bytes);
      if (bytes > static_cast<double>(input_.gpu_bytes) + 1)
        report("(c) " + group(g) + " needs " + std::to_string(bytes) + " bytes of each GPU");
    }
  }

  void check_surjectivity() {
    std::map<int, int> served;
    for (std::size_t g = 0; g < plan_.groups.size(); ++g) {
      std::map<int, int> here;
      for (std::size_t i = 0; i < plan_.groups[g].models.size(); ++i) {
        const int index = plan_.groups[g].models[i];
        served[index] += plan_.groups[g].shares[i];
        if (++here[index] > 1) report("(d) model " + model(index).name + " twice in " + group(g));
      }
    }
    for (int index = 0; index < static_cast<int>(input_.models.size()); ++index) {
      if (served[index] != streams_of(index))
        report("(d) model " + model(index).name + ": " + std::to_string(served[index]) + " of " +
               std::to_string(streams_of(index)) + " model-streams are served");
    }
  }

  void check_affinity() {
    if (input_.params.affinity_limit <= 0) return;
    for (std::size_t g = 0; g < plan_.groups.size(); ++g) {
      for (const int i : plan_.groups[g].models) {
        for (const int j : plan_.groups[g].models) {
          const double k =
              affinity_of_pair(model(i).alpha_ms, model(i).beta_ms, model(j).alpha_ms, model(j).beta_ms);
          if (i != j && k > input_.params.affinity_limit)
            report("(e) " + model(i).name + " and " + model(j).name + " in " + group(g) + ": K is " +
                   std::to_string(k));
        }
      }
    }
  }

  // Checks the plan's own figures.
  void check_claims() {
    double smallest = std::numeric_limits<double>::infinity();
    for (const HerdGroup& here : plan_.groups) {
      for (const int index : here.models) {
        const double needed = model(index).rate_rps / model(index).goodput_rps / streams_of(index);
        if (model(index).rate_rps > 0 && here.gpus / needed < smallest) smallest = here.gpus / needed;
      }
    }
    constexpr double kRounding = 1e-12;
    const double value = plan_.min_burst_tolerance;
    if (std::isinf(smallest) ? value != smallest : !(std::abs(value - smallest) <= kRounding * smallest))
      report("value: the plan says " + std::to_string(value) + ", it is " + std::to_string(smallest));
    if (!(plan_.bound >= value)) report("bound: below the value");
    const double gap = plan_.bound > value ? (plan_.bound - value) / plan_.bound : 0;
    if (!(std::abs(plan_.gap - gap) <= kRounding))
      report("gap: the plan says " + std::to_string(plan_.gap) + ", it is " + std::to_string(gap));
    const bool optimal = gap <= input_.params.relative_gap;
    if (optimal != (plan_.status == HerdStatus::kOptimal)) report("gap: does not agree with the status");
  }

  const HerdInput& input_;
  const HerdPlan& plan_;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> herd_violations(const HerdInput& input, const HerdPlan& plan) {
  return Checker(input, plan).run();
}

}  // namespace harness
