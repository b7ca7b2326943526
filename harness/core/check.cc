#include "harness/core/check.h"

#include <string>

#include "harness/core/bug_context.h"

namespace harness {

void report_bug(const char* file, int line, const char* what) {
  end_by_bug("bug at " + std::string(file) + ":" + std::to_string(line) + ": " + what);
}

void report_bad_decision(const char* what) {
  end_by_bug(std::string("the system made a decision that is not allowed: ") + what);
}

}  // namespace harness
