// A results file that is open for reading. Internal to record/.
#pragma once

#include <string>
#include <vector>

#include "harness/record/hdf5/verified_file.h"
#include "harness/record/run/summary_row.h"

namespace harness {

/// A results file that is open for reading. The constructor throws InputError.
class ResultsReader {
 public:
  explicit ResultsReader(const std::string& path);
  hid_t root() const { return file_.root(); }
  template <class Work>
  auto read(Work work) const {
    return file_.read(work);
  }

 private:
  void check_format() const;

  std::string path_;
  VerifiedFile file_;
};

/// Reads the rows of /summary. Throws Hdf5Failure if a column is missing that every file has.
std::vector<SummaryRow> read_summary_table(hid_t root);

}  // namespace harness
