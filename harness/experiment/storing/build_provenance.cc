#include "harness/experiment/storing/build_provenance.h"

#include "harness/core/build_info.h"
#include "harness/machine/machine_text.h"

namespace harness {

Provenance build_provenance() {
  Provenance provenance;
  provenance.git_commit = kGitCommit;
  provenance.git_dirty = kGitDirty;
  provenance.versions = version_text();
  provenance.machine = machine_text();
  return provenance;
}

}  // namespace harness
