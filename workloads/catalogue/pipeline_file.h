// Pipelines by name: the files under workloads/pipelines, or any file of the same form.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "harness/core/input_error.h"
#include "harness/core/pipeline.h"

namespace harness {

/// Loads a pipeline by name (workloads/pipelines/NAME.toml) or path (ends in .toml). Throws InputError.
Pipeline load_pipeline(const std::string& name_or_path, const InputPlace& named_at = {});
/// Reads a pipeline from text; `file` is for messages and gives the pipeline's name (its stem).
Pipeline parse_pipeline(const std::string& file, std::string_view text);
/// Returns the names of the pipelines under workloads/pipelines, sorted.
std::vector<std::string> pipeline_names();

}  // namespace harness
