// `harness claims [RESULTS.h5 ...]`: what the results say about the papers' claims.
#pragma once

namespace CLI {
class App;
}

namespace harness {

/// Adds the command to `app`. Its callback sets `exit_code` to 1 when a claim came out worse than the ledger
/// knows (with --strict, when any is not reproduced), and throws InputError for a bad ledger or file.
void add_claims_command(CLI::App& app, int& exit_code);

}  // namespace harness
