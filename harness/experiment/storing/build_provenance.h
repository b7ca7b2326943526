// What results say of the build and the machine that made them.
#pragma once

#include "harness/record/hdf5/provenance.h"

namespace harness {

/// Returns the provenance of this build and machine; the experiment's fields are left empty.
Provenance build_provenance();

}  // namespace harness
