// The routes of requests through a pipeline in which modules send each request to one of their subs (PARD
// section 5.2: "each request probabilistically takes either the pose or face branch"), or to each with a
// probability of its own (InferLine section 3).
#pragma once

#include <cstdint>
#include <vector>

#include "harness/core/pipeline.h"
#include "harness/core/types.h"

namespace harness {

struct Route;

/// All routes of a pipeline. It tells which of them a request takes. A pipeline without choices has one
/// route.
class Routes {
 public:
  /// `pipeline` is linked; it need not outlive this.
  Routes(const Pipeline& pipeline, std::uint64_t seed);

  bool dynamic() const { return !choices_.empty(); }
  std::size_t size() const;
  const Route& operator[](std::size_t index) const;

  /// Returns the index of the route that a request takes. It depends on (seed, module, request) alone, so
  /// that every system, the life cycle and the bounds see the same choices. Request ids count from 0 in the
  /// order of sending.
  std::size_t of(RequestId request) const {
    std::size_t index = 0;
    for (const Choice& choice : choices_) index += choice.stride * way_of(choice, request);
    return index;
  }

 private:
  /// A module that chooses.
  struct Choice {
    ModuleId module = 0;
    bool is_each = false;
    std::size_t stride = 1;  ///< factor of its way in the index of a route
    std::size_t ways = 1;    ///< number of ways; kOne: a way is a sub; kEach: bit s of a way stands for sub s
    std::vector<double> up_to;          ///< kOne, by sub: the probability of this one or an earlier one
    std::vector<double> probabilities;  ///< probability of each sub
  };

  std::size_t way_of(const Choice& choice, RequestId request) const;
  Route make_route(const Pipeline& pipeline, std::size_t index) const;

  std::uint64_t seed_;
  std::vector<Choice> choices_;
  std::vector<Route> routes_;
};

/// One combination of choices: a choice for each module with Branches::kOne or kEach.
struct Route {
  double probability = 1;
  /// Modules to which each module sends the request on: bit s is module s.
  std::vector<std::uint64_t> taken;
  std::vector<std::uint16_t> branches;  ///< number of each module's pres that do so; 1 for the entry

  bool visits(ModuleId module) const { return branches[module] > 0; }
  bool takes(ModuleId from, ModuleId to) const { return (taken[from] >> to & 1u) != 0; }
};

inline std::size_t Routes::size() const { return routes_.size(); }

inline const Route& Routes::operator[](std::size_t index) const { return routes_[index]; }

/// Returns for each module the probability that a request visits it, exact over all routes; 1.0 if all routes
/// lead there.
std::vector<double> visit_probabilities(const Pipeline& pipeline);

/// Return longest_before and longest_after (pipeline.h) along the edges that the route takes; 0 for modules
/// to which it does not lead.
std::vector<double> longest_before(const Pipeline& pipeline, const Route& route,
                                   const std::vector<double>& cost);
std::vector<double> longest_after(const Pipeline& pipeline, const Route& route,
                                  const std::vector<double>& cost);

/// Return for each module the least of longest_before (longest_after) over the routes that visit it. With
/// least times as `cost`, no request that visits the module spends less time before (after) it.
std::vector<double> least_before(const Pipeline& pipeline, const Routes& routes,
                                 const std::vector<double>& cost);
std::vector<double> least_after(const Pipeline& pipeline, const Routes& routes,
                                const std::vector<double>& cost);

}  // namespace harness
