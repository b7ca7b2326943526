#include "harness/core/bug_context.h"

#include <cstdio>
#include <cstdlib>

#include "harness/core/cell_failed.h"

namespace harness {
namespace {

thread_local BugContext bug_context;
thread_local bool bugs_fail_cells = false;

}  // namespace

void set_bug_context(const BugContext& context) { bug_context = context; }

void end_by_bug(std::string line) {
  if (bug_context.now_ns != nullptr) {
    char when[80];
    std::snprintf(when, sizeof when, " (seed %llu, virtual time %.9f s)", bug_context.seed,
                  static_cast<double>(*bug_context.now_ns) * 1e-9);
    line += when;
  }
  if (bugs_fail_cells) throw CellFailed(line);
  std::fprintf(stderr, "harness: %s\n", line.c_str());
  std::abort();
}

BugsFailCells::BugsFailCells() { bugs_fail_cells = true; }

BugsFailCells::~BugsFailCells() {
  bugs_fail_cells = false;
  set_bug_context({});
}

}  // namespace harness
