// What the cells of an experiment have in common and is loaded once.
#pragma once

#include <string>
#include <vector>

#include "harness/experiment/cells/memo.h"
#include "harness/experiment/reading/experiment_spec.h"
#include "workloads/catalogue/profile_set.h"

namespace harness {

/// The pipelines, the sets of profiles, the checksums of traces, and remarks on all of them.
class LoadedInputs {
 public:
  /// Loads the pipelines. `of` must outlive this.
  explicit LoadedInputs(const ExperimentSpec& of);
  LoadedInputs(const LoadedInputs&) = delete;

  const std::vector<Pipeline>& pipelines() const { return pipelines_; }
  const std::string& pipeline_checksum(std::size_t pipeline) const { return pipeline_checksums_[pipeline]; }
  const ProfileSet& profiles(const Settings& settings);
  /// Returns the trace of the settings with its file as the program opens it.
  TraceSpec trace(const Settings& settings) const;
  /// Returns the checksum of the trace's file as it was first read. A file that changes between two
  /// CellFactory::prepare() is told by check_unchanged() when its load is made or run.
  const std::string& checksum_of(const TraceSpec& trace);
  /// Throws InputError if the trace is a file, which is read for every run, and is no longer what it was.
  void check_unchanged(const TraceSpec& trace);
  /// Keeps a line for the user, once.
  void add_remark(std::string line);
  const std::vector<std::string>& remarks() const { return remarks_; }

  const ExperimentSpec& spec;

 private:
  void remark_on_profiles(const ProfileSet& set);

  std::vector<Pipeline> pipelines_;
  std::vector<std::string> pipeline_checksums_;
  Memo<std::string, ProfileSet> profile_sets_;      ///< sets by their names in the file
  Memo<std::string, std::string> trace_checksums_;  ///< checksums by file
  std::vector<std::string> remarks_;
};

}  // namespace harness
