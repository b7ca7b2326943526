// An experiment with other seeds for some of its cells.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "harness/claims/result_rows.h"

namespace harness {

/// Returns the text of an experiment that runs the cells of `rows` with `seeds` in place of theirs. `text` is
/// the experiment that made the rows, `file` its name in messages. Pipelines, traces and systems without such
/// a row are left out; further cells of the others may remain. Throws InputError if the text is no
/// experiment.
std::string text_with_seeds(const std::string& file, const std::string& text,
                            const std::vector<const ResultRow*>& rows,
                            const std::vector<std::uint64_t>& seeds);

/// True if the experiment names a file (of pipelines, profiles, a library, a trace) by a path that depends on
/// the folder of the experiment, which its results do not tell.
bool names_relative_files(const std::string& file, const std::string& text);

}  // namespace harness
