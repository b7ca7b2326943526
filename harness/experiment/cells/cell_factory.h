// Makes cells concrete: loads what they name, plans, and builds the run.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "harness/engine/run_spec.h"
#include "harness/experiment/cells/cell_text.h"
#include "harness/experiment/reading/expansion.h"
#include "harness/record/run/summary.h"
#include "harness/serving/plan.h"
#include "workloads/catalogue/catalogue.h"
#include "workloads/streams/stream_population.h"

namespace harness {

/// A cell, checked and planned.
struct PreparedCell {
  CellIdentity identity;
  std::vector<std::string> module_names;
  std::string why;  ///< not empty: it cannot run (the planner cannot meet the SLO)
  Cell cell;
  Settings settings;
  TimeNs slo_ns = 0;
  Plan plan;                    ///< the initial one
  bool plan_is_shared = false;  ///< by the shared planner
  double capacity_rps = 0;      ///< of that plan
  double reference_rps = 0;     ///< capacity that loads are relative to; 0: that plan cannot meet the SLO
  double overload_rps = 0;      ///< reference_rps, if it is a plan's whose workers stay; else 0
  double target_rps = 0;        ///< that arrivals are scaled to; 0: recorded times as they are
  double offered_rps = 0;       ///< expected requests / duration
  double duration_s = 0;
  double expected_requests = 0;
  double recorded_peak_over_mean = kNoValue;  ///< of the window of a recorded trace (LoadNotes), as the next
  double sent_peak_over_mean = kNoValue;
  double visits_per_request = 1;  ///< expected; at least that many where requests choose modules or variants
  std::string arrivals_text;      ///< equal for cells with the same arrivals
};

/// Whether it runs in wall-clock time on all ranks.
inline bool is_live(const PreparedCell& cell) { return cell.cell.runtime != Runtime::kSimulated; }

/// Loads each pipeline and set of profiles once. Every fault in what the experiment names shows up as an
/// InputError of the constructor or of prepare(), so that preparing all cells first leaves nothing to go
/// wrong with the input later.
class CellFactory {
 public:
  /// `build` identifies the program, `ranks` are those that live cells run on. `spec` outlives this.
  CellFactory(const ExperimentSpec& spec, std::string build, int ranks = 1);

  const std::vector<Cell>& cells() const { return cells_; }
  /// Imports the recorded traces of all cells, so that other processes find them done. Throws
  /// as imported_trace() does.
  void prepare_traces() const;
  PreparedCell prepare(const Cell& cell);
  /// All of a cell's run but its arrivals: for this, no trace is read unless it says how long texts are.
  RunSpec make_world(const Cell& cell);
  /// Settings without an effect (unused_settings), then of the recorded traces of the cells prepared so far,
  /// each line once: "trace NAME: what was read as what", "warning: trace NAME: what is not as one might
  /// think" (make_arrivals).
  const std::vector<std::string>& remarks() const { return remarks_; }
  /// Lines with the checksums of the cell's pipeline and profiles, as its effective settings hold them.
  std::string checksums(const Cell& cell);
  /// The run of a prepared cell that can run.
  RunSpec make_run(const PreparedCell& prepared);

 private:
  struct Planned {
    Plan plan;
    double capacity_rps = 0;
    std::string why;
  };
  /// Whose settings: the cell's own; what its load is relative to (shared_settings_of); the same with the
  /// whole cluster's workers from the start.
  enum class Whose { kOwn, kShared, kReference };
  /// What cells have in common that differ in rate, seed and SLO alone. Texts of settings are made once for
  /// all of them: an experiment may have many seeds.
  struct Configuration {
    Settings settings;
    std::size_t trace = 0;  ///< in traces_
    std::string planning;   ///< planning_text()
    std::string checksums;  ///< of kOwn, once asked for: lines, as checksums() and of the trace's file
    CellFrame frame;        ///< of kOwn
    std::optional<bool> plans_itself;        ///< of kOwn, once asked for
    std::map<double, double> best_capacity;  ///< by rate of streams (else 0)
  };
  using ConfigurationKey =
      std::tuple<Whose, Runtime, std::size_t, std::size_t, std::size_t, std::vector<std::size_t>>;
  using OfferKey = std::tuple<std::size_t, double, std::uint64_t>;  ///< the trace, its rate, the seed
  struct Offered {
    double requests = 0;
    double duration_s = 0;
    LoadNotes notes;                                     ///< of a file
    std::shared_ptr<const StreamPopulation> population;  ///< of shape streams
  };

  const ProfileSet& profiles(const Settings& settings);
  TraceSpec resolved_trace(const Settings& settings) const;
  TimeNs slo_of(const Cell& cell);
  RunSpec world_of(const Cell& cell, const Settings& settings);
  /// Made when it is first asked for; it stays until the next cell is prepared.
  Configuration& configuration(const Cell& cell, Whose whose);
  Configuration made_configuration(const Cell& cell, Whose whose);
  CellFrame frame_of(const Cell& cell, const Settings& settings) const;
  bool plans_itself(const Cell& cell, Configuration& own);
  /// By the shared planner, or, when it is the cell's own, by the one that its system brings.
  const Planned& planned(const Cell& cell, Whose whose, double offered_rps, double target_rps = 0);
  /// The streams of the cell's trace, if it has any, the longest of their SLOs and the modules' peaks.
  void add_streams(const Cell& cell, const Configuration& of, const System* system, RunSpec& run);
  /// The sample of its load that the cell's system asks for, if it does.
  void add_sample(const Cell& cell, const Configuration& of, const System& system, double target_rps,
                  RunSpec& run);
  /// Adds remarks on odd latencies of the set's models that a pipeline has.
  void remark_on_profiles(const ProfileSet& set);
  /// Adds a remark where a module is planned with batches that nobody measured.
  void remark_on_batches(const RunSpec& run, const Plan& plan);
  /// Adds a remark where a recorded load is shorter than the SLO, so that its rates could not go on.
  void remark_on_short_load(const std::string& trace, const PreparedCell& cell);
  void add_remark(std::string line);
  /// Returns the checksum of the trace's file. Throws InputError where it was another one before.
  const std::string& checksum_of(const TraceSpec& trace);
  /// Equal for cells with the same requests.
  std::string arrivals_text(const Cell& cell, const Configuration& of, double target_rps);
  const Offered& offered(const Configuration& of, double target_rps, std::uint64_t seed);
  /// best_capacity_rps of the cell's streams or task tree; of several kinds of devices capacity_of_kinds_rps.
  double best_capacity(const Cell& cell);
  /// With the reference plan; where workers follow the rate it is none that a cell has.
  void refer_to(const Planned& plan, const Cell& cell, PreparedCell& prepared);
  /// Finds the rate that the cell's arrivals are scaled to; sets `why` when it has none.
  void find_target(const Cell& cell, PreparedCell& prepared);
  std::string text_of_cell(const Cell& cell, double target_rps, bool known);

  const ExperimentSpec& spec_;
  std::string build_;
  int ranks_;
  std::vector<Pipeline> pipelines_;
  std::vector<std::string> pipeline_checksums_;
  std::map<std::string, ProfileSet> profile_sets_;
  std::map<std::string, std::string> trace_checksums_;  ///< by file, when it was first read
  std::map<ConfigurationKey, Configuration> configurations_;
  std::map<std::string, std::size_t> trace_numbers_;  ///< by trace_text()
  std::vector<std::string> traces_;                   ///< trace_text() by number
  std::map<std::string, Planned> plans_;
  std::map<OfferKey, Offered> offers_;
  std::vector<std::string> remarks_;
  std::map<std::string, std::vector<std::vector<double>>> peaks_;
  std::map<std::string, std::shared_ptr<const PlanningTimes>> samples_;  ///< by arrivals_text(), the last few
  std::map<std::string, TimeNs> services_;  ///< shortest_service_ns by pipeline, profiles and their scale
  std::vector<Cell> cells_;
};

}  // namespace harness
