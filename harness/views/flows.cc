#include "harness/views/flows.h"

#include <algorithm>
#include <optional>
#include <tuple>

#include "harness/core/routes.h"

namespace harness {
namespace {

struct VisitKey {
  std::uint64_t request;
  std::uint32_t row;
  std::uint16_t visit;

  bool operator<(const VisitKey& other) const {
    return std::tie(request, visit, row) < std::tie(other.request, other.visit, other.row);
  }
};

struct RequestKey {
  std::uint64_t request;
  std::uint32_t row;

  bool operator<(const RequestKey& other) const {
    return std::tie(request, row) < std::tie(other.request, other.row);
  }
};

struct PlacedMark {
  Flows::Mark mark;
  std::uint32_t thing;
};

/// The things and arrows of one request, and the flows that they make.
class RequestFlows {
 public:
  explicit RequestFlows(std::vector<PlacedMark>& marks) : marks_(marks) {}

  void begin(std::uint64_t request) {
    request_ = request;
    flows_ = 0;
    things_.clear();
    arrows_.clear();
  }
  /// Adds a thing and returns its index among the request's things. `order` settles the order of what happens
  /// at one time.
  std::size_t add(std::uint32_t thing, TimeNs at, std::uint32_t order) {
    things_.push_back({thing, at, order});
    return things_.size() - 1;
  }
  void add_arrow(std::size_t from, std::size_t to) { arrows_.push_back({from, to}); }

  /// Makes the marks.
  void end() {
    const auto before = [this](std::size_t a, std::size_t b) {
      return std::tie(things_[a].at, things_[a].order) < std::tie(things_[b].at, things_[b].order);
    };
    std::sort(arrows_.begin(), arrows_.end(), [&before](const Arrow& a, const Arrow& b) {
      return a.from != b.from ? before(a.from, b.from) : before(a.to, b.to);
    });
    // A flow leads along one arrow after the other: each thing hands the first that came to it on along its
    // first arrow, and begins new ones for the others.
    for (const Arrow& arrow : arrows_) {
      Thing& from = things_[arrow.from];
      std::uint64_t flow = from.incoming;
      if (flow == 0 || from.has_handed_on) {
        flow = (request_ << 16) + ++flows_;
        marks_.push_back({{flow, false}, from.thing});
      }
      from.has_handed_on = true;
      take(arrow.to, flow);
    }
    for (const Thing& thing : things_) {
      if (thing.incoming != 0) marks_.push_back({{thing.incoming, !thing.has_handed_on}, thing.thing});
    }
  }

 private:
  struct Thing {
    std::uint32_t thing;
    TimeNs at;
    std::uint32_t order;
    std::uint64_t incoming = 0;  ///< flow that it hands on
    bool has_handed_on = false;
  };
  struct Arrow {
    std::size_t from;
    std::size_t to;
  };

  void take(std::size_t to, std::uint64_t flow) {
    if (things_[to].incoming == 0)
      things_[to].incoming = flow;
    else
      marks_.push_back({{flow, true}, things_[to].thing});
  }

  std::vector<PlacedMark>& marks_;
  std::uint64_t request_ = 0;
  std::uint64_t flows_ = 0;
  std::vector<Thing> things_;
  std::vector<Arrow> arrows_;
};

/// Returns the rows of all visits, by request.
std::vector<VisitKey> visits_by_request(const CellContents& cell) {
  std::vector<VisitKey> keys;
  keys.reserve(cell.visits.size());
  for (const VisitRow& row : cell.visits)
    keys.push_back({row.request, static_cast<std::uint32_t>(keys.size()), row.visit});
  std::sort(keys.begin(), keys.end());
  return keys;
}

std::vector<RequestKey> requests_in_order(const CellContents& cell) {
  std::vector<RequestKey> keys;
  keys.reserve(cell.requests.size());
  for (const RequestRow& row : cell.requests)
    keys.push_back({row.request, static_cast<std::uint32_t>(keys.size())});
  std::sort(keys.begin(), keys.end());
  return keys;
}

/// Adds the arrows between a request's visits.
class Arrows {
 public:
  Arrows(const CellContents& cell, const TimeSpan& span, const Pipeline* pipeline, std::uint64_t seed)
      : cell_(cell), span_(span), pipeline_(pipeline) {
    if (pipeline != nullptr) routes_.emplace(*pipeline, seed);
  }

  /// Adds the arrows of a request; `visits` has all its visits, by number.
  void add(std::span<const VisitKey> visits, const RequestKey* request, RequestFlows& flows) {
    places_.assign(visits.size(), kHidden);
    for (std::size_t i = 0; i < visits.size(); ++i) {
      const VisitRow& row = row_of(visits[i]);
      if (!is_shown(row, span_)) continue;
      places_[i] = flows.add(visits[i].row, row.left_queue_ns(), row.visit);
    }
    for (std::size_t i = 0; i < visits.size(); ++i) {
      if (places_[i] == kHidden) continue;
      if (routes_)
        add_taken(visits, i, flows);
      else
        add_parent(visits, i, flows);
    }
    if (request == nullptr || !is_shown_late(cell_.requests[request->row], span_)) return;
    add_late(visits, *request, flows);
  }

 private:
  static constexpr std::size_t kHidden = ~std::size_t{0};

  const VisitRow& row_of(const VisitKey& key) const { return cell_.visits[key.row]; }

  void add_parent(std::span<const VisitKey> visits, std::size_t i, RequestFlows& flows) const {
    const VisitRow& row = row_of(visits[i]);
    if (row.parent == row.visit) return;
    const auto parent =
        std::lower_bound(visits.begin(), visits.end(), row.parent,
                         [](const VisitKey& a, std::uint16_t visit) { return a.visit < visit; });
    if (parent == visits.end() || parent->visit != row.parent) return;
    add_arrow(static_cast<std::size_t>(parent - visits.begin()), i, flows);
  }

  /// Adds arrows from each of the modules before it that sent the request there.
  void add_taken(std::span<const VisitKey> visits, std::size_t i, RequestFlows& flows) const {
    const VisitRow& row = row_of(visits[i]);
    const Route& route = (*routes_)[routes_->of(row.request)];
    for (std::size_t j = 0; j < visits.size(); ++j) {
      const VisitRow& before = row_of(visits[j]);
      const std::vector<ModuleId>& pres = pipeline_->modules[row.module].pres;
      const bool leads = std::find(pres.begin(), pres.end(), before.module) != pres.end() &&
                         route.takes(before.module, row.module);
      if (leads && before.outcome == VisitOutcome::kDone) add_arrow(j, i, flows);
    }
  }

  void add_late(std::span<const VisitKey> visits, const RequestKey& request, RequestFlows& flows) const {
    std::size_t last = kHidden;
    for (std::size_t i = 0; i < visits.size(); ++i) {
      const bool is_later = last == kHidden || row_of(visits[i]).ended_ns >= row_of(visits[last]).ended_ns;
      if (row_of(visits[i]).outcome == VisitOutcome::kDone && is_later) last = i;
    }
    if (last == kHidden || places_[last] == kHidden) return;
    const auto thing = static_cast<std::uint32_t>(cell_.visits.size() + request.row);
    flows.add_arrow(places_[last], flows.add(thing, cell_.requests[request.row].end_ns, ~std::uint32_t{0}));
  }

  void add_arrow(std::size_t from, std::size_t to, RequestFlows& flows) const {
    if (places_[from] != kHidden) flows.add_arrow(places_[from], places_[to]);
  }

  const CellContents& cell_;
  const TimeSpan& span_;
  const Pipeline* pipeline_;
  std::optional<Routes> routes_;
  std::vector<std::size_t> places_;  ///< index of each visit of the request among its things
};

}  // namespace

Flows::Flows(const CellContents& cell, const TimeSpan& span, const Pipeline* pipeline, std::uint64_t seed)
    : first_request_(cell.visits.size()),
      begins_(cell.visits.size() + cell.requests.size() + 1),
      in_time_(cell.visits.size()) {
  std::vector<PlacedMark> placed;
  {
    const std::vector<VisitKey> visits = visits_by_request(cell);
    const std::vector<RequestKey> requests = requests_in_order(cell);
    RequestFlows flows(placed);
    Arrows arrows(cell, span, pipeline, seed);
    auto request = requests.begin();
    for (auto begin = visits.begin(), end = begin; begin != visits.end(); begin = end) {
      while (end != visits.end() && end->request == begin->request) ++end;
      while (request != requests.end() && request->request < begin->request) ++request;
      const bool is_known = request != requests.end() && request->request == begin->request;
      const bool in_time = is_known && cell.requests[request->row].outcome == Outcome::kInTime;
      for (auto visit = begin; visit != end; ++visit) in_time_[visit->row] = in_time;
      flows.begin(begin->request);
      arrows.add({begin, end}, is_known ? &*request : nullptr, flows);
      flows.end();
    }
  }
  for (const PlacedMark& mark : placed) ++begins_[mark.thing + 1];
  for (std::size_t i = 1; i < begins_.size(); ++i) begins_[i] += begins_[i - 1];
  marks_.resize(placed.size());
  std::vector<std::uint32_t> next(begins_.begin(), begins_.end() - 1);
  for (const PlacedMark& mark : placed) marks_[next[mark.thing]++] = mark.mark;
}

}  // namespace harness
