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
#include "harness/experiment/cells/prepared_cell.h"
#include "harness/experiment/reading/cell.h"
#include "harness/record/run/summary_row.h"
#include "harness/serving/plan.h"
#include "workloads/catalogue/profile_set.h"
#include "workloads/streams/load_facts.h"
#include "workloads/streams/stream_population.h"

namespace harness {

/// Loads each pipeline and set of profiles once. Every fault in what the experiment names is an InputError of
/// the constructor or of prepare(): once all cells are prepared, nothing in the input can go wrong later.
class CellFactory {
 public:
  /// `build` identifies the program, `ranks` is the number of ranks that live cells run on. `spec` must
  /// outlive this.
  CellFactory(const ExperimentSpec& spec, std::string build, int ranks = 1);

  const std::vector<Cell>& cells() const { return cells_; }
  /// Imports the recorded traces of all cells, so that other processes find them done. Throws as
  /// imported_trace() does.
  void prepare_traces() const;
  PreparedCell prepare(const Cell& cell);
  /// Returns all of a cell's run but its arrivals. It reads a trace only if that gives the streams or the
  /// lengths of texts.
  RunSpec make_world(const Cell& cell);
  /// Returns lines on settings without an effect (unused_settings()), then on the recorded traces of the
  /// cells prepared so far, each line once: "trace NAME: what was read as what", "warning: trace NAME: what
  /// is not as one might think" (make_arrivals()).
  const std::vector<std::string>& remarks() const { return remarks_; }
  /// Returns lines with the checksums of the cell's pipeline and profiles, as its effective settings have
  /// them.
  std::string checksums(const Cell& cell);
  /// Returns the run of a prepared cell that can run.
  RunSpec make_run(const PreparedCell& prepared);

 private:
  struct Planned {
    Plan plan;
    double capacity_rps = 0;
    std::string why;
  };
  /// The settings that are meant: the cell's own (kOwn); the ones that its load is relative to (kShared,
  /// shared_settings_of()); the latter with the whole cluster's workers from the start (kReference).
  enum class SettingsScope { kOwn, kShared, kReference };
  /// The parts that cells have in common if they differ only in rate, seed and SLO. Texts of settings are
  /// made once for all of them: an experiment may have many seeds.
  struct Configuration {
    Settings settings;
    std::size_t trace = 0;             ///< index in traces_
    std::string planning;              ///< planning_text()
    std::string checksums;             ///< kOwn, once asked for: checksum lines, also of trace and library
    CellTextTemplate frame;            ///< cell_frame() of kOwn
    std::optional<bool> plans_itself;  ///< kOwn, once asked for: true if the system plans
    std::map<double, double> best_capacity;  ///< best capacity by rate of streams (else 0)
  };
  using ConfigurationKey =
      std::tuple<SettingsScope, Runtime, std::size_t, std::size_t, std::size_t, std::vector<std::size_t>>;
  using OfferKey = std::tuple<std::size_t, double, std::uint64_t>;  ///< index in traces_, rate, seed
  struct Offered {
    double requests = 0;
    double duration_s = 0;
    LoadFacts notes;                                     ///< remarks and peaks of a trace that is a file
    std::shared_ptr<const StreamPopulation> population;  ///< set for traces of shape streams
  };

  const ProfileSet& profiles(const Settings& settings);
  TraceSpec resolved_trace(const Settings& settings) const;
  TimeNs slo_of(const Cell& cell);
  RunSpec world_of(const Cell& cell, const Settings& settings);
  /// Returns the configuration, which is made when it is first asked for; it stays until the next cell is
  /// prepared.
  Configuration& configuration(const Cell& cell, SettingsScope scope);
  Configuration made_configuration(const Cell& cell, SettingsScope scope);
  CellTextTemplate frame_of(const Cell& cell, const Settings& settings) const;
  bool plans_itself(const Cell& cell, Configuration& own);
  /// Returns the plan of the shared planner or, for kOwn, of the planner that the cell's system brings, if
  /// any.
  const Planned& planned(const Cell& cell, SettingsScope scope, double offered_rps, double target_rps = 0);
  /// Adds the streams of the cell's trace, if it has any, the longest of their SLOs and the modules' peaks.
  void add_streams(const Cell& cell, const Configuration& of, const System* system, RunSpec& run);
  /// Adds the sample of its load that the cell's system asks for, if it does.
  void add_sample(const Cell& cell, const Configuration& of, const SystemTraits& traits, double target_rps,
                  RunSpec& run);
  /// Adds remarks on odd latencies of the set's models that a pipeline has.
  void remark_on_profiles(const ProfileSet& set);
  /// Adds a remark if a module is planned with batches that nobody measured.
  void remark_on_batches(const RunSpec& run, const Plan& plan);
  /// Adds a remark if a recorded load is shorter than the SLO, so that its rates could not go on.
  void remark_on_short_load(const std::string& trace, const PreparedCell& cell);
  void add_remark(std::string line);
  /// Returns the checksum of the trace's file. Throws InputError if it was another one before.
  const std::string& checksum_of(const TraceSpec& trace);
  /// Returns a text that is equal for cells with the same requests.
  std::string arrivals_text(const Cell& cell, const Configuration& of, double target_rps);
  const Offered& offered(const Configuration& of, double target_rps, std::uint64_t seed);
  /// Returns best_capacity_rps() of the cell's streams or task tree, or capacity_of_kinds_rps() if there are
  /// several kinds of devices.
  double best_capacity(const Cell& cell);
  /// Makes the capacity of the reference plan the one that the cell's load is relative to, and `overload_rps`
  /// too unless workers follow the rate: then no cell has that plan.
  void refer_to(const Planned& plan, const Cell& cell, PreparedCell& prepared);
  /// Finds the rate that the cell's arrivals are scaled to; sets `why` if it has none.
  void find_target(const Cell& cell, PreparedCell& prepared);
  std::string text_of_cell(const Cell& cell, double target_rps, bool known);

  const ExperimentSpec& spec_;
  std::string build_;
  int ranks_;
  std::vector<Pipeline> pipelines_;
  std::vector<std::string> pipeline_checksums_;
  std::map<std::string, ProfileSet> profile_sets_;
  std::map<std::string, std::string> trace_checksums_;  ///< checksum by file, as it was first read
  std::map<ConfigurationKey, Configuration> configurations_;
  std::map<std::string, std::size_t> trace_numbers_;  ///< index in traces_ by trace_text()
  std::vector<std::string> traces_;                   ///< trace_text() by index
  std::map<std::string, Planned> plans_;
  std::map<OfferKey, Offered> offers_;
  std::vector<std::string> remarks_;
  std::map<std::string, std::vector<std::vector<double>>> peaks_;
  std::map<std::string, std::shared_ptr<const PlanningTimes>> samples_;  ///< the last few, by arrivals_text()
  std::map<std::string, TimeNs> services_;  ///< shortest_service_ns() by pipeline, profiles and their scale
  std::vector<Cell> cells_;
};

}  // namespace harness
