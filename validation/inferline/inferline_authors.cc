// Compares InferLine's Estimator and Planner here with the plans that its authors published (2017-2018), and
// with runs of these plans. Prints a Markdown table, then the names of the rows that do not agree.
//
//     inferline_authors [FOLDER] [QUERIES] [ROWS.csv]
//
// FOLDER holds the authors' figures; if it is missing or empty, inferline/ in $HARNESS_DATA or in
// ../shared/data does. QUERIES is the length of a trace: 50,000 by default, as the authors'. ROWS.csv gets
// the single figures, theirs and ours. The exit code is 77 if the folder does not exist, 2 after an error, 1
// if figures that need no simulation (costs, throughputs) do not agree.
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iomanip>
#include <span>
#include <string>
#include <vector>

#include "harness/core/environment_error.h"
#include "harness/core/input_error.h"
#include "systems/inferline/greedy_params.h"
#include "systems/inferline/greedy_planner.h"
#include "validation/inferline/authors_data.h"
#include "validation/inferline/authors_world.h"

namespace harness {
namespace {

constexpr double kMayMiss = 0.01;
constexpr std::uint64_t kPlanned = 1;  ///< seed of the trace that is planned for
constexpr std::uint64_t kServed = 2;   ///< seed of another trace

std::string shown(double value, int digits) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}
std::string percent(double share, int digits) { return shown(share * 100, digits) + " %"; }

/// One figure of theirs beside ours, in the same unit.
struct Pair {
  std::string key;
  double theirs = 0;
  double ours = 0;
};

/// A line of the table, and the text below it.
struct Comparison {
  std::string what;
  int rows = 0;
  int agree = 0;
  std::string figures = {};
  std::vector<std::string> others = {};  ///< rows that do not agree, and the reasons
  std::vector<Pair> pairs = {};
  bool is_arithmetic = false;  ///< true if its figures must agree in all rows

  void count(bool agrees, const std::string& row) {
    ++rows;
    agree += agrees ? 1 : 0;
    if (!agrees) others.push_back(row);
  }
};

double middle_of(std::vector<double> values) {
  if (values.empty()) return NAN;
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// Comparisons that need no simulation.

Comparison compare_costs(const AuthorsData& data) {
  Comparison result{"cost of a plan from the prices, to 0.0001 $/h"};
  double worst = 0;
  for (const AuthorsPlan& plan : data.plans) {
    double usd_per_h = 0;
    for (const AuthorsStage& stage : plan.stages) usd_per_h += stage.replicas * data.price(stage);
    const double error = std::abs(usd_per_h - plan.usd_per_h);
    worst = std::max(worst, error);
    result.count(error < 0.5e-4, plan.key);
    result.pairs.push_back({plan.key, plan.usd_per_h, usd_per_h});
  }
  result.figures = "worst difference " + shown(worst, 6) + " $/h";
  return result;
}

/// Compares a figure of the plans of June with ours, within 0.1 %.
Comparison compare_june(const AuthorsData& data, const std::string& what, AuthorsLatency latency,
                        double AuthorsPlan::*theirs,
                        const std::function<double(const AuthorsWorld&, const Configuration&)>& ours) {
  Comparison result{what};
  double worst = 0;
  for (const AuthorsPlan& plan : data.plans) {
    if (!plan.is_of_june()) continue;
    const AuthorsWorld world(
        data, plan.pipeline,
        {.table = AuthorsTable::kJune, .latency = latency, .conditional = plan.has_scale_factors()});
    const double here = ours(world, world.configuration(plan.stages));
    const double error = here / plan.*theirs - 1;
    result.pairs.push_back({plan.key, plan.*theirs, here});
    worst = std::max(worst, std::abs(error));
    result.count(std::abs(error) < 1e-3, plan.key + ": " + percent(error, 2));
  }
  result.figures = "worst " + percent(worst, 3);
  return result;
}

/// Compares s_m, the share of queries that the Estimator sends to a model, with the authors' figure.
Comparison compare_scale_factors(const AuthorsData& data) {
  constexpr int kQueries = 1'000'000;
  Comparison result{"scale factor behind a branch as the Estimator measures it, within 3 standard errors"};
  double worst = 0;
  double error_there = 0;
  for (const char* name : {"resnet_cascade", "conditional_cascade"}) {
    const AuthorsWorld world(data, name, {});
    const Estimator estimator(world.pipeline(), world.hardware(), std::vector<TimeNs>(kQueries, 0), kPlanned);
    for (ModuleId m = 0; m < world.shares().size(); ++m) {
      const double share = world.shares()[m];
      if (share == 1) continue;
      const double error = std::abs(estimator.scale_factor(m) / share - 1);
      result.pairs.push_back(
          {std::string(name) + ", " + world.pipeline().modules[m].name, share, estimator.scale_factor(m)});
      const double standard_error = std::sqrt((1 - share) / share / kQueries);
      if (error > worst) error_there = standard_error;
      worst = std::max(worst, error);
      result.count(error < 3 * standard_error,
                   std::string(name) + ", " + world.pipeline().modules[m].name + ": " + percent(error, 2));
    }
  }
  result.figures = "worst " + percent(worst, 3) + ", where the standard error is " + percent(error_there, 3);
  return result;
}

// Our plans for their loads.

double miss_rate(Estimator& estimator, const Configuration& configuration, double slo_s) {
  const std::span<const TimeNs> latencies = estimator.latencies(configuration);
  const auto late = std::ranges::count_if(latencies, [&](TimeNs ns) { return ns > s_to_ns(slo_s); });
  return static_cast<double>(late) / static_cast<double>(std::max<std::size_t>(1, latencies.size()));
}

/// The reason why a plan of ours costs more than theirs.
enum class DearerWhy { kOverload, kMisses, kBatch, kGreedy };
constexpr const char* kDearerWhys[] = {
    "theirs does not keep up with the sample", "theirs misses more than 1 % of the sample",
    "theirs has a batch that doubling does not reach", "theirs is feasible here too"};

struct PlannedHere {
  std::string failure;  ///< reason why there is no plan; empty: there is one
  double usd_per_h = 0;
  double served_misses = 0;  ///< share of late requests of our plan, on another trace
  double their_misses = 0;   ///< share of late requests of their plan, on the planned trace
  double their_load = 0;     ///< load of the planned trace, as a share of their plan's capacity at the cap
  bool beyond_doubling = false;
};

DearerWhy why_dearer(const PlannedHere& here) {
  if (here.their_load > 1) return DearerWhy::kOverload;
  if (here.their_misses > kMayMiss) return DearerWhy::kMisses;
  return here.beyond_doubling ? DearerWhy::kBatch : DearerWhy::kGreedy;
}

void judge_theirs(const AuthorsWorld& world, const AuthorsPlan& plan, const GreedyPlanner& planner,
                  const GreedyParams& params, Estimator& sample, PlannedHere& result) {
  const Configuration theirs = world.configuration(plan.stages);
  result.their_misses = miss_rate(sample, theirs, plan.slo_s);
  for (ModuleId m = 0; m < theirs.size(); ++m) {
    const double load = planner.utilisation(theirs, m) / params.max_utilisation;
    result.their_load = std::max(result.their_load, load);
    const auto largest = static_cast<unsigned>(world.hardware().profile(m, theirs[m]).max_batch());
    if (static_cast<unsigned>(theirs[m].max_batch) > std::bit_floor(largest)) result.beyond_doubling = true;
  }
}

PlannedHere plan_here(const AuthorsWorld& world, const AuthorsPlan& plan, const GreedyParams& params,
                      int queries) {
  PlannedHere result;
  const auto estimator_of = [&](std::uint64_t seed) {
    return Estimator(world.pipeline(), world.hardware(), authors_trace(plan.lam_qps, plan.scv, queries, seed),
                     seed);
  };
  Estimator sample = estimator_of(kPlanned);
  GreedyPlanner planner(world.pipeline(), world.hardware(), sample, s_to_ns(queries / plan.lam_qps),
                        s_to_ns(plan.slo_s), params);
  if (!plan.is_coarse()) judge_theirs(world, plan, planner, params, sample, result);
  try {
    const Configuration found = planner.plan();
    result.usd_per_h = world.hardware().cost(found);
    Estimator served = estimator_of(kServed);
    result.served_misses = miss_rate(served, found, plan.slo_s);
  } catch (const InputError& error) {
    result.failure = error.what();
  }
  return result;
}

/// Returns the planner's parameters for a plan.
using ParamsOf = std::function<GreedyParams(const AuthorsPlan&)>;
using Chosen = std::function<bool(const AuthorsPlan&)>;

Comparison compare_plans(const AuthorsData& data, const std::string& what, const Chosen& chosen,
                         const AuthorsWorldOptions& options, const ParamsOf& params_of, int queries) {
  Comparison result{what};
  std::vector<double> ratios;
  std::vector<int> whys(std::size(kDearerWhys), 0);
  int missing = 0;
  for (const AuthorsPlan& plan : data.plans) {
    if (!chosen(plan)) continue;
    AuthorsWorldOptions of_plan = options;
    of_plan.conditional = plan.has_scale_factors();
    const AuthorsWorld world(data, plan.pipeline, of_plan);
    const PlannedHere here = plan_here(world, plan, params_of(plan), queries);
    if (!here.failure.empty()) {
      result.count(false, plan.key + ": no plan: " + here.failure);
      continue;
    }
    ratios.push_back(here.usd_per_h / plan.usd_per_h);
    result.pairs.push_back({plan.key, plan.usd_per_h, here.usd_per_h});
    missing += here.served_misses > kMayMiss ? 1 : 0;
    const bool is_dearer = here.usd_per_h > plan.usd_per_h + 1e-9;
    std::string row = plan.key + ": " + shown(here.usd_per_h, 4) + " $/h, theirs " + shown(plan.usd_per_h, 4);
    if (is_dearer && !plan.is_coarse()) {
      const auto why = static_cast<std::size_t>(why_dearer(here));
      ++whys[why];
      row += " at " + shown(here.their_load, 4) + " of what it may carry, missing " +
             percent(here.their_misses, 2) + ": " + kDearerWhys[why];
    }
    result.count(!is_dearer, row);
  }
  if (!ratios.empty()) {
    result.figures = "ours / theirs: median " + shown(middle_of(ratios), 2) + ", least " +
                     shown(*std::ranges::min_element(ratios), 2) + ", worst " +
                     shown(*std::ranges::max_element(ratios), 2) + "; " + std::to_string(missing) +
                     " of ours miss more than 1 % of another trace";
  }
  for (std::size_t why = 0; why < whys.size(); ++why) {
    if (whys[why] > 0) result.figures += "; dearer " + std::to_string(whys[why]) + ": " + kDearerWhys[why];
  }
  return result;
}

std::vector<Comparison> compare_all_plans(const AuthorsData& data, int queries) {
  std::vector<Comparison> results;
  const Chosen curves = [](const AuthorsPlan& plan) {
    return plan.has_curves() && plan.pipeline == "image_driver_1";
  };
  for (const GrownBatch choice : {GrownBatch::kSaving, GrownBatch::kFirst}) {
    const std::string name = choice == GrownBatch::kSaving ? "saving" : "first";
    const auto add = [&](const std::string& what, const Chosen& chosen, AuthorsTable table,
                         const ParamsOf& params_of) {
      results.push_back(compare_plans(data, "our plan costs at most theirs, `" + name + "`: " + what, chosen,
                                      {.table = table}, params_of, queries));
    };
    const ParamsOf full = [choice](const AuthorsPlan&) { return GreedyParams{choice, 1}; };
    add("April and May", curves, AuthorsTable::kApril, full);
    add("the same, with their cap of utilisation", curves, AuthorsTable::kApril,
        [choice](const AuthorsPlan& plan) {
          return GreedyParams{choice, plan.cap};
        });
    add(
        "June, at even gaps", [](const AuthorsPlan& plan) { return plan.is_of_june(); }, AuthorsTable::kJune,
        full);
    add(
        "coarse-grained ones", [](const AuthorsPlan& plan) { return plan.is_coarse(); }, AuthorsTable::kApril,
        full);
  }
  return results;
}

// Their runs.

constexpr int kFullMachine = 4;  ///< GPUs of a machine; no profile contains the contention on a full one
/// The shares of the profiles' throughput among which a factor for full machines is fitted, nearest to 1
/// first.
constexpr double kContentions[] = {1, 0.95, 0.9, 0.85, 0.8, 0.75, 0.7};

/// Returns the share of late requests, pooled over three traces.
double estimated_misses(const AuthorsWorld& world, const std::vector<AuthorsStage>& stages, double rate_qps,
                        double scv, double slo_s, int queries) {
  constexpr int kTraces = 3;
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= kTraces; ++seed) {
    Estimator estimator(world.pipeline(), world.hardware(), authors_trace(rate_qps, scv, queries, seed),
                        seed);
    sum += miss_rate(estimator, world.configuration(stages), slo_s);
  }
  return sum / kTraces;
}

bool keeps(double misses) { return misses <= kMayMiss; }

/// A run, and the misses that the Estimator has for it with each factor of kContentions.
struct EstimatedRun {
  const AuthorsRun* run = nullptr;
  std::vector<double> misses;
  std::string where;  ///< its GPUs, SLO, scv and utilisation

  bool agrees(std::size_t factor) const { return keeps(misses[factor]) == keeps(run->miss_rate); }
};

/// The runs of known plans for which the table has profiles.
struct EstimatedRuns {
  std::vector<EstimatedRun> runs;
  int without_profiles = 0;
};

/// Estimates the misses of each run with each factor, of which the first is 1; the others matter to runs on a
/// full machine alone.
EstimatedRuns estimate_runs(const AuthorsData& data, AuthorsTable table, std::span<const double> factors,
                            int queries) {
  EstimatedRuns result;
  const AuthorsWorld alone(data, "image_driver_1", {.table = table});
  for (const AuthorsRun& run : data.runs) {
    if (!run.is_of_a_plan() || run.stages.empty() || std::isnan(run.miss_rate)) continue;
    if (!alone.has_profiles(run.stages)) {
      ++result.without_profiles;
      continue;
    }
    result.runs.push_back({&run,
                           {},
                           " (" + shown(run.gpus, 0) + " GPUs, SLO " + shown(run.slo_s, 2) + " s, scv " +
                               shown(run.scv, 1) + ", at " +
                               shown(run.lam_qps / alone.throughput_qps(alone.configuration(run.stages)), 3) +
                               " of the throughput)"});
  }
  for (const double factor : factors) {
    const AuthorsWorld world(data, "image_driver_1", {.table = table, .gpu_speed = factor});
    for (auto& [run, misses, where] : result.runs) {
      const bool matters = misses.empty() || run->gpus == kFullMachine;
      misses.push_back(matters
                           ? estimated_misses(world, run->stages, run->lam_qps, run->scv, run->slo_s, queries)
                           : misses.front());
    }
  }
  return result;
}

/// Returns the factors that tell rightly of most of the other runs whether they keep their SLO, nearest to 1
/// first.
std::vector<std::size_t> factors_of_others(const std::vector<EstimatedRun>& runs,
                                           const EstimatedRun& left_out) {
  std::vector<std::size_t> best;
  std::ptrdiff_t most = 0;
  for (std::size_t factor = 0; factor < std::size(kContentions); ++factor) {
    const auto agree = std::ranges::count_if(
        runs, [&](const EstimatedRun& run) { return &run != &left_out && run.agrees(factor); });
    if (agree > most) best.clear();
    most = std::max(most, agree);
    if (agree == most) best.push_back(factor);
  }
  return best;
}

/// Compares the runs with what is estimated at a factor for each of them.
template <class FactorOf>
Comparison compare_runs(const EstimatedRuns& estimated, const std::string& what, const FactorOf& factor_of) {
  Comparison result{"a run misses at most 1 % or not, " + what};
  int broken = 0;
  int found = 0;
  int false_alarms = 0;
  double error = 0;
  for (const EstimatedRun& run : estimated.runs) {
    const std::size_t factor = factor_of(run);
    const double ours = run.misses[factor];
    const double theirs = run.run->miss_rate;
    result.pairs.push_back({run.run->id, theirs, ours});
    error += std::abs(ours - theirs);
    broken += keeps(theirs) ? 0 : 1;
    found += !keeps(theirs) && !keeps(ours) ? 1 : 0;
    false_alarms += keeps(theirs) && !keeps(ours) ? 1 : 0;
    result.count(run.agrees(factor), run.run->id + ": measured " + percent(theirs, 2) + ", estimated " +
                                         percent(ours, 2) + " at " + shown(kContentions[factor], 2) +
                                         run.where);
  }
  const double rows = std::max(1, result.rows);
  result.figures = percent(result.agree / rows, 0) + "; " + std::to_string(found) + " of " +
                   std::to_string(broken) + " broken runs found, " + std::to_string(false_alarms) +
                   (false_alarms == 1 ? " false alarm" : " false alarms") +
                   "; all called good: " + percent(1 - broken / rows, 0) + "; mean error " +
                   shown(100 * error / rows, 2) + " points";
  if (estimated.without_profiles > 0) {
    result.figures +=
        "; " + std::to_string(estimated.without_profiles) + " with batches beyond the table left out";
  }
  return result;
}

/// Adds the lines of the runs: with the tables of April and June as they are, and with a factor that is
/// fitted anew for each run to all others (leave-one-out).
void compare_all_runs(const AuthorsData& data, int queries, std::vector<Comparison>& results) {
  const auto first = [](const EstimatedRun&) { return std::size_t{0}; };
  const EstimatedRuns april = estimate_runs(data, AuthorsTable::kApril, kContentions, queries);
  results.push_back(compare_runs(april, "table of April", first));
  results.push_back(
      compare_runs(april, "the same, a factor for four GPUs fitted to the other runs",
                   [&](const EstimatedRun& run) { return factors_of_others(april.runs, run).front(); }));
  const auto ties = std::ranges::count_if(april.runs, [&](const EstimatedRun& run) {
    return !keeps(run.run->miss_rate) && factors_of_others(april.runs, run).size() > 1;
  });
  results.back().figures += "; ties without " + std::to_string(ties) + " of the broken runs";
  const EstimatedRuns june = estimate_runs(data, AuthorsTable::kJune, std::span(kContentions, 1), queries);
  results.push_back(compare_runs(june, "table of June", first));
}

/// The largest utilisation of a sweep at which at most 1 % miss, and the least at which more do.
struct Break {
  double held = 0;
  double broke = INFINITY;

  void add(double utilisation, double misses) {
    if (keeps(misses)) held = std::max(held, utilisation);
    if (!keeps(misses)) broke = std::min(broke, utilisation);
  }
  std::string text() const {
    return shown(held, 2) + (std::isinf(broke) ? " without a break" : " to " + shown(broke, 2));
  }
};

/// Returns the utilisation at which more than 1 % miss, in steps of 0.01 of the profiles' throughput.
double estimated_break(const AuthorsData& data, const AuthorsPlan& plan, int queries) {
  const AuthorsWorld world(data, plan.pipeline, {.table = AuthorsTable::kApril});
  const double qps = world.throughput_qps(world.configuration(plan.stages));
  int low = 1;     // hundredths; at most 1 % miss
  int high = 120;  // more than 1 % miss
  while (high - low > 1) {
    const int middle = (low + high) / 2;
    const double misses =
        estimated_misses(world, plan.stages, qps * middle / 100, plan.scv, plan.slo_s, queries);
    (keeps(misses) ? low : high) = middle;
  }
  return high / 100.0;
}

/// Returns the least and the largest break of all stored plans that the sweep may have run: plans for its
/// SLO, its cost if that is known, and scv 1.
std::string estimated_breaks(const AuthorsData& data, const AuthorsRun& of, int queries) {
  std::vector<double> breaks;
  for (const AuthorsPlan& plan : data.plans) {
    if (!plan.has_curves() || plan.pipeline != of.pipeline || plan.slo_s != of.slo_s || plan.scv != 1)
      continue;
    if (!std::isnan(of.usd_per_h) && std::abs(plan.usd_per_h - of.usd_per_h) > 1e-4) continue;
    breaks.push_back(estimated_break(data, plan, queries));
  }
  if (breaks.empty()) return "not known";
  std::ranges::sort(breaks);
  return shown(breaks.front(), 2) + (breaks.size() == 1 ? "" : " to " + shown(breaks.back(), 2));
}

void print_sweeps(const AuthorsData& data, int queries) {
  std::printf(
      "\n| sweep of utilisation | SLO, s | measured: holds at, breaks at | estimated break |\n"
      "|---|---|---|---|\n");
  std::vector<std::string> done;
  for (const AuthorsRun& first : data.runs) {
    const std::string name = first.set + ", " + first.pipeline;
    if (!first.is_sweep() || std::ranges::count(done, name) > 0) continue;
    done.push_back(name);
    Break measured;
    for (const AuthorsRun& run : data.runs) {
      if (run.set == first.set && run.pipeline == first.pipeline)
        measured.add(run.utilisation, run.miss_rate);
    }
    std::printf("| %s | %.2f | %s | %s |\n", name.c_str(), first.slo_s, measured.text().c_str(),
                estimated_breaks(data, first, queries).c_str());
  }
}

std::vector<Comparison> compare_all(const AuthorsData& data, int queries) {
  std::vector<Comparison> results = {compare_costs(data),
                                     compare_june(data, "longest path of P99s, June, within 0.1 %",
                                                  AuthorsLatency::kP99, &AuthorsPlan::path_p99_s,
                                                  [](const AuthorsWorld& world, const Configuration& plan) {
                                                    return ns_to_s(world.hardware().service_ns(plan));
                                                  }),
                                     compare_june(data, "throughput of the slowest model, June, within 0.1 %",
                                                  AuthorsLatency::kService, &AuthorsPlan::throughput_qps,
                                                  [](const AuthorsWorld& world, const Configuration& plan) {
                                                    return world.throughput_qps(plan);
                                                  }),
                                     compare_scale_factors(data)};
  results[0].is_arithmetic = results[2].is_arithmetic = true;
  std::ranges::move(compare_all_plans(data, queries), std::back_inserter(results));
  compare_all_runs(data, queries, results);
  return results;
}

/// Prints how many rows of the files are in no line of the table.
void print_left_out(const AuthorsData& data) {
  const auto plans = std::ranges::count_if(data.plans, [](const AuthorsPlan& plan) {
    return plan.has_curves() && plan.pipeline != "image_driver_1";
  });
  const auto unknown = std::ranges::count_if(
      data.runs, [](const AuthorsRun& run) { return run.is_of_a_plan() && run.stages.empty(); });
  const auto coarse = std::ranges::count_if(
      data.runs, [](const AuthorsRun& run) { return !run.is_of_a_plan() && !run.is_sweep(); });
  std::printf(
      "\nLeft out: %d plans of April and May for resnet_cascade, without profiles of that time; %d runs of "
      "plans that are not known; %d runs of the pipeline as one process.\n",
      static_cast<int>(plans), static_cast<int>(unknown), static_cast<int>(coarse));
}

void write_rows(const std::vector<Comparison>& results, const std::string& path) {
  std::ofstream file(path);
  file << "what,key,theirs,ours\n" << std::setprecision(12);
  for (const Comparison& result : results) {
    for (const Pair& pair : result.pairs)
      file << '"' << result.what << "\",\"" << pair.key << "\"," << pair.theirs << ',' << pair.ours << '\n';
  }
  if (!file.flush()) throw InputError(path + ": cannot be written");
}

/// Prints all comparisons. True if costs and throughputs agree.
bool print(const AuthorsData& data, int queries, const char* rows_path) {
  const std::vector<Comparison> results = compare_all(data, queries);
  if (rows_path != nullptr) write_rows(results, rows_path);
  std::printf("| what | rows | agree | figures |\n|---|---|---|---|\n");
  for (const Comparison& result : results) {
    std::printf("| %s | %d | %d | %s |\n", result.what.c_str(), result.rows, result.agree,
                result.figures.c_str());
  }
  print_sweeps(data, queries);
  print_left_out(data);
  std::printf("\nThroughput of April over June, image_driver_1:");
  for (const AuthorsSpeed& speed : april_over_june(data))
    std::printf(" %s %.3f;", speed.model.c_str(), speed.factor);
  std::printf("\n");
  for (const Comparison& result : results) {
    if (result.others.empty()) continue;
    std::printf("\n%s; not:\n\n", result.what.c_str());
    for (const std::string& row : result.others) std::printf("- %s\n", row.c_str());
  }
  return std::ranges::all_of(
      results, [](const Comparison& result) { return !result.is_arithmetic || result.agree == result.rows; });
}

int run(int count, char** arguments) {
  constexpr int kMissing = 77;
  constexpr int kTheirQueries = 50'000;
  const char* const shared = std::getenv("HARNESS_DATA");
  std::string folder = std::string(shared != nullptr ? shared : "../shared/data") + "/inferline";
  if (count > 1 && *arguments[1] != 0) folder = arguments[1];
  const int queries = count > 2 ? std::atoi(arguments[2]) : kTheirQueries;
  if (!std::filesystem::exists(folder)) {
    std::printf("no figures of InferLine's authors in %s (set HARNESS_DATA)\n", folder.c_str());
    return kMissing;
  }
  return print(read_authors(folder), std::max(queries, 1), count > 3 ? arguments[3] : nullptr) ? 0 : 1;
}

}  // namespace
}  // namespace harness

int main(int count, char** arguments) {
  try {
    return harness::run(count, arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", harness::reason_of(error).c_str());
    return 2;
  }
}
