// Test reports in JUnit's XML, as CI servers show them.
#pragma once

#include <string>
#include <vector>

namespace harness {

/// One test of a report.
struct JUnitCase {
  enum class Result { kPassed, kFailed, kSkipped, kError };

  std::string group;  ///< the `classname`, by which viewers group test cases
  std::string name;
  Result result = Result::kPassed;
  std::string message;  ///< reason why it did not pass
  std::string output;
};

/// Returns one test suite with its counts.
std::string junit_text(const std::string& suite, const std::vector<JUnitCase>& cases);

}  // namespace harness
