#include "harness/cli/commands.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <memory>
#include <set>

#include "harness/claims/claim.h"
#include "harness/claims/claims_report.h"
#include "harness/claims/glob.h"
#include "harness/claims/judgement.h"
#include "harness/cli/launch.h"
#include "harness/cli/printing.h"
#include "harness/cli/terminal.h"
#include "harness/core/input_error.h"
#include "harness/core/printable.h"
#include "harness/core/wording.h"
#include "harness/decide/claim_results.h"
#include "harness/decide/run_decisions.h"
#include "harness/files/file_bytes.h"
#include "harness/ranks/mpi_launch.h"
#include "harness/record/hdf5/cv_table.h"
#include "harness/record/hdf5/results_file.h"
#include "systems/all_systems.h"
#include "workloads/catalogue/catalogue.h"

namespace harness {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLongestNote = 1000;
constexpr const char* kClaimsFile = "experiments/claims.toml";

struct ClaimsOptions {
  std::vector<std::string> results;
  std::string claims_file;
  std::string folder = "results-out";
  std::string junit;
  std::string paper;
  std::string kind;
  std::string id = "*";
  bool json = false;
  bool strict = false;
  bool decide = false;
  bool quiet = false;
  bool fresh = false;
};

std::string claims_file_path(const ClaimsOptions& options) {
  if (!options.claims_file.empty()) return options.claims_file;
  std::error_code error;
  return fs::exists(kClaimsFile, error) ? kClaimsFile : home_folder() + "/" + kClaimsFile;
}

/// Returns the names that claims may use: the systems of the program and of the given results, since
/// libraries bring some.
Vocabulary vocabulary_of(const ClaimsOptions& options) {
  Vocabulary vocabulary;
  for (const SystemEntry& entry : all_systems()) vocabulary.systems.emplace_back(entry.name);
  for (const std::string& path : options.results) {
    if (is_cv_table(path)) continue;
    for (const SummaryRow& row : read_summary(path)) {
      if (std::find(vocabulary.systems.begin(), vocabulary.systems.end(), row.cell.system) ==
          vocabulary.systems.end())
        vocabulary.systems.push_back(row.cell.system);
    }
  }
  return vocabulary;
}

std::vector<Claim> chosen_claims(const ClaimsOptions& options) {
  const Vocabulary vocabulary = vocabulary_of(options);
  const std::string path = claims_file_path(options);
  std::vector<Claim> claims = parse_claims_file(path, read_file(path), vocabulary);
  std::erase_if(claims, [&](const Claim& claim) {
    return !fits_glob(options.id, claim.id) || (!options.paper.empty() && options.paper != claim.paper) ||
           (!options.kind.empty() && options.kind != name_of(claim.kind));
  });
  if (claims.empty()) {
    const std::string paper = options.paper.empty() ? "" : " of paper " + options.paper;
    const std::string kind = options.kind.empty() ? "" : " of kind " + options.kind;
    throw input_error({path, 0, ""}, "no claim" + kind + paper + " with an id like " + options.id,
                      "--id, --paper and --kind that some claim fits");
  }
  return claims;
}

void note(const std::string& text) {
  std::fprintf(stderr, "harness: %s\n", printable(text, kLongestNote).c_str());
}

void print_claims(const ClaimsOptions& options, int& exit_code) {
  std::vector<Claim> claims = chosen_claims(options);
  ClaimResults results(options.folder, options.results, claims);
  if (options.decide) {
    if (!options.results.empty())
      throw input_error({"", 0, "--decide"}, "results files",
                        "--folder DIR, beside whose results more are put");
    const ProgressForm progress = options.quiet ? ProgressForm::kQuiet : ProgressForm::kText;
    const std::size_t left_out = run_decisions(claims, results, options.fresh, progress);
    if (launched_rank() != 0) return;
    if (left_out > 0) note(counted(left_out, "claim") + " got no seeds (docs/claims.md, Deciding)");
    results = ClaimResults(options.folder, {}, claims);
  } else if (options.quiet || options.fresh) {
    throw input_error({"", 0, options.quiet ? "--quiet" : "--fresh"}, "no --decide", "--decide beside it");
  }
  std::erase_if(claims, [&](const Claim& claim) { return !results.concern(claim); });
  if (claims.empty())
    throw input_refusal(
        {options.results.front(), 0, ""},
        "no claim uses this file; expected a results file named after an experiment in the claims file");
  std::vector<std::string> stale;
  for (const Claim& claim : claims) {
    if (results.is_stale(claim)) stale.push_back(claim.id);
  }
  if (!stale.empty())
    note(results.folder_of_looks() + ": the decisions on " + join_names(stale) +
         " do not count, since these or their results have changed; `--decide --fresh` decides anew");
  std::vector<Judgement> judgements;
  for (const Claim& claim : claims) judgements.push_back(results.judged(claim));
  if (options.json)
    print_text(claims_json(judgements));
  else
    print_verdicts(claims_table(judgements));
  if (!options.junit.empty()) write_file(options.junit, claims_junit(judgements));
  for (const Judgement& judgement : judgements) {
    const bool without_value = judgement.verdict == Verdict::kNotRun && !judgement.without_results;
    const bool failed = options.strict && (judgement.verdict == Verdict::kNotReproduced ||
                                           judgement.doubtful() || without_value);
    if (failed || judgement.worse()) exit_code = 1;
  }
}

}  // namespace

void add_claims_command(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<ClaimsOptions>();
  CLI::App* command = app.add_subcommand("claims", "Judge the papers' claims by results");
  command->footer(
      "Without RESULTS.h5 each claim is judged by the files it rests on in --folder; those that are missing\n"
      "count as not run. With files, only the claims that rest on them are judged.\n"
      "Claims of kind paper are counted first, the others (reading, ours) in a line of their "
      "own.\n"
      "Examples:\n"
      "  harness claims\n"
      "  harness claims results-out/overall.h5 --id 'pard.ablation.*'\n"
      "  harness claims --paper pard --junit claims.xml\n"
      "  mpirun -n 2 harness claims --decide --paper pard --folder results-out/pard\n"
      "  harness claims --json | jq '.[] | select(.kind == \"paper\" and .verdict == \"undecided\") | .id'\n"
      "Exit codes: 0 no claim came out worse than the claims file's `known`; 1 some did, or, with --strict, "
      "some\n"
      "are not reproduced, undecided where `known` is better, or find no cell in results that are there;\n"
      "2 bad input. docs/claims.md describes claims files, kinds and verdicts.");
  command->add_option("results", options->results, "results files (HDF5)")->type_name("RESULTS.h5");
  command
      ->add_option("--claims-file", options->claims_file, std::string("the file of claims; ") + kClaimsFile)
      ->type_name("FILE");
  command->add_option("--folder", options->folder, "where the results are; results-out")->type_name("DIR");
  command->add_option("--junit", options->junit, "also writes a JUnit report")->type_name("FILE");
  command->add_flag("--json", options->json, "everything as JSON");
  command->add_option("--paper", options->paper, "only the claims of this paper")->type_name("NAME");
  command->add_option("--kind", options->kind, "only the claims of this kind: paper, reading or ours")
      ->type_name("KIND");
  command->add_option("--id", options->id, "only these claims; * stands for any characters")
      ->type_name("GLOB");
  command->add_flag(
      "--strict", options->strict,
      "also fail when a claim is not reproduced, has become undecided, or finds no cell in its results");
  command->add_flag(
      "--decide", options->decide,
      "add seeds to the experiments of the claims until each is decided, or four looks are spent");
  command->add_flag("--fresh", options->fresh, "with --decide: decide anew");
  command->add_flag("--quiet", options->quiet, "with --decide: no progress on standard error");
  add_ranks_option(*command);
  command->callback([options, command, &exit_code] {
    if (!options->decide && command->count("--ranks") > 0)
      throw input_error({"", 0, "--ranks"}, "no --decide", "--decide beside it");
    if (options->decide) launch_if_asked(*command, !options->quiet);
    print_claims(*options, exit_code);
  });
}

}  // namespace harness
