#include "harness/record/run/module_window.h"

namespace harness {

ModuleWindow& ModuleWindow::operator-=(const ModuleWindow& part) {
  arrived -= part.arrived;
  started -= part.started;
  dropped -= part.dropped;
  batches -= part.batches;
  queueing_ns -= part.queueing_ns;
  wait_ns -= part.wait_ns;
  return *this;
}

}  // namespace harness
