// Tells which keys of a trace have an effect beside its others.
#pragma once

#include <optional>
#include <string>

#include "workloads/spec/trace_spec.h"

namespace harness {

/// The parts of a message about a key that has no effect.
struct UnusedKey {
  std::string why;      ///< "with shape = \"poisson\""
  std::string allowed;  ///< settings with which it would have one
};

/// Returns why the key has no effect beside the others of the trace. Returns nothing if it has one, or may
/// have one once the file of format "auto" has been read. `is_scaled` is false for a file that is replayed as
/// it was recorded.
std::optional<UnusedKey> unused_key(const TraceSpec& spec, const std::string& key, bool is_scaled = true);

/// Throws InputError at a key that was given (`places`, or a value that is not the default) and has no
/// effect, as far as that is known without the file.
void check_keys(const TraceSpec& spec);

/// Does the same for a file that was read as `format` ("auto" no more). A key with its default value passes.
void check_keys_of_file(const TraceSpec& spec, const std::string& format, bool is_scaled = true);

/// Gives keys without an effect their default values.
void drop_unused_keys(TraceSpec& spec);

}  // namespace harness
