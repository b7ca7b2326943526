// What `harness profile` prints and writes of a measured model.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/cli/profile_jobs.h"
#include "workloads/catalogue/catalogue.h"
#include "workloads/catalogue/measured_profile.h"

namespace harness {

/// For the file. `clocks` are notes about the machine while it was measured.
MeasuredProfile measured_profile(const ModelProfile& profile, const ProfileJob& job,
                                 const std::vector<std::string>& clocks);

/// An empty set that says where, by what and when it is measured.
MeasuredSet measured_set(const ProfileJobs& jobs);

/// For people: a table of the sizes, the fit, what stopped the repeats, exit points.
std::string report_text(const ModelProfile& profile);

/// What a user should know before he trusts the profile, a line each: medians that are less exact than asked
/// for, exit points that the model has not, and others that ran meanwhile, with `others`, their share of the
/// processors' time.
std::string warnings_text(const ModelProfile& profile, const ProfileJob& job, std::optional<double> others);

/// What the exit points of several models cost.
class ExitPointAverage {
 public:
  /// Counts when the model was measured with exit points.
  void add(const ModelProfile& profile);
  /// The means over the models, and the largest with its model (SHEPHERD, Figure 12); "" with fewer than two
  /// models.
  std::string text() const;

 private:
  struct Cost {
    std::string model;
    double overhead = 0;
    double delay_share = 0;
  };
  std::vector<Cost> costs_;
};

/// Returns the models and devices of a set of profiles, and what is odd about them: what `check` prints.
std::string text_of_set(const ProfileSet& set);

}  // namespace harness
