// The table of `harness trace cv` as an HDF5 file, from which Figures 2 and 5 of SHEPHERD are drawn.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace harness {

struct CvRow;

/// The table, and what it was measured on.
struct CvTable {
  std::string source;      ///< the experiment's file or the shape that was measured
  std::uint64_t seed = 1;  ///< seed of the requests and of the groups
  std::vector<CvRow> rows;
};

/// The mean coefficient of variation of the number of requests in a window, over random groups of streams.
struct CvRow {
  std::string trace;
  double rate_rps = 0;
  double window_s = 0;
  std::uint64_t group = 1;    ///< number of streams in a group
  std::uint64_t groups = 0;   ///< number of groups with requests in the windows
  std::uint64_t windows = 0;  ///< number of whole windows in the run
  double mean_cv = 0;         ///< mean coefficient; NaN without groups

  static void list(auto& row, auto&& column) {
    column("trace", row.trace);
    column("rate_rps", row.rate_rps);
    column("window_s", row.window_s);
    column("group", row.group);
    column("groups", row.groups);
    column("windows", row.windows);
    column("mean_cv", row.mean_cv);
  }
};

/// Writes the file (results/README.md describes it); it appears under its name only when it is complete.
/// Throws EnvironmentError naming the path, and InputError if it would replace a file of another kind.
void write_cv_table(const std::string& path, const CvTable& table);

/// Reads the table. Throws InputError if the file is damaged, or is not of this kind.
CvTable read_cv_table(const std::string& path);

/// True if the file holds such a table; false if it does not exist or is of another kind.
bool is_cv_table(const std::string& path);

}  // namespace harness
