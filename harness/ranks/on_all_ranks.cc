#include "harness/ranks/on_all_ranks.h"

#include <vector>

#include "harness/core/environment_error.h"
#include "harness/core/exit_codes.h"
#include "harness/core/input_error.h"

namespace harness {
namespace {

RankReport report_of(const std::function<void(RankReport&)>& work) {
  RankReport report;
  try {
    work(report);
  } catch (const InputError& error) {
    report = {kBadInput, error.what(), 0, ""};
  } catch (const std::exception& error) {
    report = {kEnvironment, reason_of(error), 0, ""};
  }
  return report;
}

/// Returns the report of the first rank that failed, or that read something else than rank 0; exit code 0 if
/// all is well.
RankReport failure_in(const std::vector<RankReport>& reports, const std::string& file) {
  for (std::size_t rank = 0; rank < reports.size(); ++rank) {
    const std::string name = "rank " + std::to_string(rank);
    RankReport report = reports[rank];
    if (report.exit_code != kAllWell) {
      if (rank > 0) report.message = name + ": " + report.message;
      return report;
    }
    if (report.digest == reports[0].digest) continue;
    report.exit_code = kBadInput;
    report.message = input_error({file, 0, name}, "another experiment than at rank 0",
                                 "the same experiment, pipelines, profiles, traces and build on all ranks")
                         .what();
    return report;
  }
  return {};
}

}  // namespace

int on_all_ranks(CellDistribution& ranks, const std::string& file,
                 const std::function<void(RankReport&)>& work) {
  const std::vector<RankReport> reports = ranks.gather(report_of(work));
  RankReport failure;
  if (ranks.rank() == 0) failure = failure_in(reports, file);
  const int code = ranks.share(failure.exit_code);
  if (code != kAllWell && ranks.rank() != 0) throw RankStopped{};
  if (code == kBadInput) throw InputError(failure.message);
  if (code != kAllWell) throw EnvironmentError(failure.message);
  return ranks.share(ranks.rank() == 0 ? reports[0].value : 0);
}

}  // namespace harness
