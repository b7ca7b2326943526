// `harness profile --server`: how long batches of a model take on a running server.
#pragma once

#include "harness/cli/profile_jobs.h"

namespace harness {

/// Measures the models of `options.models` on the server of `options.server` and writes their profiles to
/// `options.output`. Returns the exit code. A batch's latency is the time between the ends of batches that
/// follow each other, as its clients see them: so many requests of one row are under way that the server
/// always has the next batch waiting (requests with whole batches, where it does not join them). The report
/// also tells the time of a request alone. Throws InputError for options that do not fit the model,
/// EnvironmentError if the server fails.
int profile_server(const ProfileOptions& options);

}  // namespace harness
