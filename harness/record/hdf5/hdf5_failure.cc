#include "harness/record/hdf5/hdf5_failure.h"

#include <hdf5.h>

#include <new>

#include "harness/core/memory.h"

namespace harness {
namespace {

herr_t note_lack_of_memory(unsigned, const H5E_error2_t* error, void* is_lacking) {
  if (error->maj_num == H5E_RESOURCE && error->min_num == H5E_NOSPACE) *static_cast<bool*>(is_lacking) = true;
  return 0;
}

}  // namespace

void throw_failure(const char* task) {
  bool is_lacking = !has_memory();
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, note_lack_of_memory, &is_lacking);
  if (is_lacking) throw std::bad_alloc();
  throw Hdf5Failure(task);
}

void prepare_hdf5() {
  require_memory();
  [[maybe_unused]] static const bool kStarted = [] {
    // All files are closed before the program ends. The library's own clean-up at that time would crash if it
    // had lacked memory before.
    H5dont_atexit();
    checked(H5open(), "start the library");
    // A file that is read must not make the library read other files, or load programs.
    checked(H5Lunregister(H5L_TYPE_EXTERNAL), "refuse links to other files");
    checked(H5PLset_loading_state(0), "refuse plugins");
    return true;
  }();
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

}  // namespace harness
