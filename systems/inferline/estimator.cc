#include "systems/inferline/estimator.h"

#include <algorithm>
#include <functional>

#include "harness/core/error.h"

namespace harness {
namespace {

/// As many queries may miss the SLO when P99 just meets it.
std::size_t misses_within_p99(std::size_t queries) { return queries / 100; }

}  // namespace

Estimator::Estimator(const Pipeline& pipeline, const Hardware& hardware, std::vector<TimeNs> sent_ns,
                     std::uint64_t seed)
    : pipeline_(pipeline),
      hardware_(hardware),
      sent_ns_(std::move(sent_ns)),
      routes_(pipeline, seed),
      scale_(pipeline.modules.size(), 0),
      stages_(pipeline.modules.size()),
      latency_ns_(sent_ns_.size()) {
  HARNESS_CHECK(!pipeline.has_tasks() && !pipeline.independent,
                "the estimator takes a pipeline of one entry");
  std::vector<std::uint64_t> taken(routes_.size(), 0);
  if (routes_.dynamic()) {
    route_of_.reserve(sent_ns_.size());
    for (std::size_t query = 0; query < sent_ns_.size(); ++query)
      route_of_.push_back(static_cast<std::uint16_t>(routes_.of(query)));
    for (const std::uint16_t route : route_of_) ++taken[route];
  } else {
    taken.front() = sent_ns_.size();
  }
  for (std::size_t route = 0; route < routes_.size(); ++route) {
    std::uint16_t length = 0;
    for (ModuleId m = 0; m < scale_.size(); ++m) {
      if (!routes_[route].visits(m)) continue;
      ++length;
      scale_[m] += static_cast<double>(taken[route]);
    }
    length_of_.push_back(length);
    visits_ += length * taken[route];
  }
  for (double& scale : scale_) scale /= static_cast<double>(std::max<std::size_t>(1, sent_ns_.size()));
}

void Estimator::reset(const Configuration& configuration) {
  const std::size_t queries = sent_ns_.size();
  for (ModuleId m = 0; m < stages_.size(); ++m) {
    Stage& stage = stages_[m];
    stage.queue.resize(queries);
    stage.head = stage.tail = 0;
    stage.idle = configuration[m].replicas;
    stage.max_batch = static_cast<std::uint32_t>(configuration[m].max_batch);
    stage.latency_ns = hardware_.profile(m, configuration[m]).latency_ns.data();
  }
  ends_.clear();
  started_ = 0;
  misses_ = 0;
  if (route_of_.empty()) {
    left_.assign(queries, length_of_.front());
  } else {
    left_.resize(queries);
    for (std::size_t query = 0; query < queries; ++query) left_[query] = length_of_[route_of_[query]];
  }
  branches_.assign(queries * stages_.size(), 0);
}

void Estimator::push(const BatchEnd& end) {
  ends_.push_back(end);
  std::push_heap(ends_.begin(), ends_.end(), std::greater<>());
}

Estimator::BatchEnd Estimator::pop() {
  std::pop_heap(ends_.begin(), ends_.end(), std::greater<>());
  const BatchEnd end = ends_.back();
  ends_.pop_back();
  return end;
}

void Estimator::arrive(TimeNs now, ModuleId module, std::uint32_t query) {
  Stage& stage = stages_[module];
  stage.queue[stage.tail++] = query;
  if (stage.idle > 0) start_batch(now, module);
}

void Estimator::start_batch(TimeNs now, ModuleId module) {
  Stage& stage = stages_[module];
  --stage.idle;
  const std::uint32_t count = std::min(stage.tail - stage.head, stage.max_batch);
  push(
      {now + stage.latency_ns[count - 1], started_++, stage.head, static_cast<std::uint16_t>(count), module});
  stage.head += count;
}

void Estimator::end_batch(const BatchEnd& batch, TimeNs slo_ns) {
  const Module& module = pipeline_.modules[batch.module];
  const std::uint32_t* const queries = &stages_[batch.module].queue[batch.first];
  for (const ModuleId to : module.subs) {
    const bool joins = pipeline_.modules[to].pres.size() > 1;
    for (std::uint32_t i = 0; i < batch.count; ++i) {
      const std::uint32_t query = queries[i];
      const Route& route = routes_[route_of_.empty() ? 0 : route_of_[query]];
      if (!route_of_.empty() && !route.takes(batch.module, to)) continue;
      if (joins && ++branches_[query * stages_.size() + to] < route.branches[to]) continue;
      arrive(batch.at_ns, to, query);
    }
  }
  for (std::uint32_t i = 0; i < batch.count; ++i) {
    const std::uint32_t query = queries[i];
    if (--left_[query] > 0) continue;
    latency_ns_[query] = batch.at_ns - sent_ns_[query];
    misses_ += latency_ns_[query] > slo_ns ? 1 : 0;
  }
  Stage& stage = stages_[batch.module];
  ++stage.idle;
  if (stage.head < stage.tail) start_batch(batch.at_ns, batch.module);
}

bool Estimator::simulate(const Configuration& configuration, TimeNs slo_ns, std::size_t most_misses) {
  reset(configuration);
  std::uint32_t next = 0;
  const auto count = static_cast<std::uint32_t>(sent_ns_.size());
  for (;;) {
    // What ends at the moment of an arrival ends before it, as in the engine.
    if (next < count && (ends_.empty() || sent_ns_[next] < ends_.front().at_ns)) {
      arrive(sent_ns_[next], 0, next);
      ++next;
    } else if (!ends_.empty()) {
      end_batch(pop(), slo_ns);
      if (misses_ > most_misses) return false;
    } else {
      return true;
    }
  }
}

std::span<const TimeNs> Estimator::latencies(const Configuration& configuration) {
  simulate(configuration, kNever, sent_ns_.size());
  return latency_ns_;
}

TimeNs Estimator::p99_ns(const Configuration& configuration) {
  latencies(configuration);
  if (latency_ns_.empty()) return 0;
  sorted_ns_ = latency_ns_;
  const auto at = sorted_ns_.end() - 1 - static_cast<std::ptrdiff_t>(misses_within_p99(sorted_ns_.size()));
  std::nth_element(sorted_ns_.begin(), at, sorted_ns_.end());
  return *at;
}

bool Estimator::meets(const Configuration& configuration, TimeNs slo_ns) {
  return simulate(configuration, slo_ns, misses_within_p99(sent_ns_.size()));
}

}  // namespace harness
