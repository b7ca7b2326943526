// write_example_results FILE.h5 small|many|paper|sweep|streams|live: a results file with made-up runs, for
// the tests of schema and figures.
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "harness/record/hdf5/assemble_results.h"
#include "harness/record/hdf5/provenance.h"
#include "harness/record/hdf5/test_synthetic_run.h"

namespace {

using harness::SyntheticSettings;

struct Shape {
  std::vector<std::string> systems;
  std::vector<std::string> variants = {"default"};
  std::vector<std::string> pipelines;
  std::vector<std::string> traces;
  std::vector<double> loads;
  std::uint64_t seeds = 1;
  double seconds = 20;
  double mean_rps = 400;
};

Shape small() {
  return {{"naive", "clipperpp", "nexus", "pard"}, {"default"}, {"lv"}, {"tweet"}, {0.9, 1.2}, 2, 90, 560};
}

/// Returns 15 systems and variants on 33 workloads: close to 500 cells.
Shape many() {
  return {{"clipperpp", "naive", "nexus", "pard", "a_system_with_a_long_name"},
          {"default", "back", "split"},
          {"tm", "lv", "ga"},
          {"wiki", "tweet", "azure"},
          {0.5, 1.0, 1.5, 2.0},
          1,
          6,
          600};
}

/// Returns a patience that differs between systems.
double patience_of(std::size_t system) {
  return system == 0 ? 1.0 : 1.0 - 0.12 * static_cast<double>(system % 5);
}

SyntheticSettings cell_of(const std::string& system, const std::string& variant,
                          const std::string& parameters, const std::string& pipeline,
                          const std::string& trace, std::uint64_t seed) {
  SyntheticSettings cell;
  cell.cell.system = system;
  cell.cell.variant = variant;
  cell.cell.parameters = parameters;
  cell.cell.pipeline = pipeline;
  cell.cell.trace = trace;
  cell.cell.load = 1;
  cell.cell.seed = seed;
  cell.modules = pipeline == "tm" ? 3 : 5;
  return cell;
}

/// Returns PARD's comparison and some of its ablation on four workloads.
std::vector<SyntheticSettings> paper_cells() {
  struct Series {
    const char* system;
    const char* variant;
    const char* parameters;
  };
  const std::vector<Series> all = {{"naive", "default", ""},
                                   {"clipperpp", "default", ""},
                                   {"nexus", "default", ""},
                                   {"pard", "default", ""},
                                   {"pard", "back", "pard.estimate=back"},
                                   {"pard", "fcfs", "pard.order=fcfs"},
                                   {"pard", "instant", "pard.order=instant"}};
  std::vector<SyntheticSettings> cells;
  for (const char* pipeline : {"tm", "lv"})
    for (const char* trace : {"wiki", "tweet"})
      for (std::uint64_t seed = 1; seed <= 2; ++seed)
        for (std::size_t i = 0; i < all.size(); ++i) {
          SyntheticSettings cell =
              cell_of(all[i].system, all[i].variant, all[i].parameters, pipeline, trace, seed);
          cell.seconds = 24;
          cell.mean_rps = 600;
          cell.patience = 1.1 - 0.12 * static_cast<double>(i);
          cells.push_back(cell);
        }
  return cells;
}

/// Returns one cell of a live run.
std::vector<SyntheticSettings> live_cells() {
  SyntheticSettings cell = cell_of("pard", "default", "", "tm", "tweet", 1);
  cell.cell.runtime = "emulated";
  cell.accuracy = 0.8;
  cell.cell.answers = "whole";
  return {cell};
}

/// Returns cells of PARD with several quantiles on two traces, at two sizes of batches; the values are out of
/// order.
std::vector<SyntheticSettings> sweep_cells() {
  std::vector<SyntheticSettings> cells;
  for (const char* trace : {"wiki", "tweet"})
    for (const char* factor : {"10", "2.5"})
      for (std::uint64_t seed = 1; seed <= 2; ++seed)
        for (const char* lambda : {"1", "0.05", "0.2", "0.1"}) {
          const std::string parameters =
              std::string("planner.sizing_factor=") + factor + " pard.lambda=" + lambda;
          SyntheticSettings cell = cell_of("pard", "default", parameters, "lv", trace, seed);
          cell.seconds = 6;
          cell.mean_rps = 600;
          cell.patience = 1 - 0.5 * std::strtod(lambda, nullptr);
          cells.push_back(cell);
        }
  return cells;
}

/// Returns cells of SHEPHERD and its baselines at three rates, of which the last two overload them; one
/// system has two variants.
std::vector<SyntheticSettings> streams_cells() {
  const std::vector<std::pair<const char*, const char*>> series = {
      {"shepherd", "default"}, {"shepherd", "np"}, {"clockwork", "default"}, {"nexus", "default"}};
  std::vector<SyntheticSettings> cells;
  for (const char* trace : {"maf-stable", "maf-bursty"})
    for (const int rate : {300, 900, 1800})
      for (std::uint64_t seed = 1; seed <= 2; ++seed)
        for (std::size_t i = 0; i < series.size(); ++i) {
          SyntheticSettings cell = cell_of(series[i].first, series[i].second, "", "shepherd13", trace, seed);
          cell.cell.effective_toml = "[workload]\nrates_rps = [" + std::to_string(rate) + "]\n";
          cell.cell.load = 0;
          cell.modules = 3;
          cell.seconds = 6;
          cell.mean_rps = rate;
          cell.patience = patience_of(i);
          cells.push_back(cell);
        }
  return cells;
}

std::vector<SyntheticSettings> cells_of(const Shape& shape) {
  std::vector<SyntheticSettings> cells;
  for (const std::string& pipeline : shape.pipelines)
    for (const std::string& trace : shape.traces)
      for (const double load : shape.loads)
        for (std::size_t i = 0; i < shape.systems.size() * shape.variants.size(); ++i)
          for (std::uint64_t seed = 1; seed <= shape.seeds; ++seed) {
            SyntheticSettings cell;
            cell.cell.system = shape.systems[i / shape.variants.size()];
            cell.cell.variant = shape.variants[i % shape.variants.size()];
            cell.cell.pipeline = pipeline;
            cell.cell.trace = trace;
            cell.cell.load = load;
            cell.cell.seed = seed;
            cell.modules = pipeline == "tm" ? 3 : 5;
            cell.seconds = shape.seconds;
            cell.mean_rps = shape.mean_rps * load;
            cell.patience = patience_of(i);
            cells.push_back(cell);
          }
  return cells;
}

void write(const std::string& path, std::vector<SyntheticSettings> cells, bool rows,
           const std::string& experiment_toml) {
  std::vector<std::string> files;
  for (SyntheticSettings& settings : cells) {
    settings.cell.index = static_cast<std::uint32_t>(files.size());
    settings.cell.effective_toml =
        "seed = " + std::to_string(settings.cell.seed) + "\n" + settings.cell.effective_toml;
    settings.cell.input_hash = harness::hex16(files.size());
    files.push_back(path + ".cell" + std::to_string(files.size()));
    harness::write_synthetic_cell(files.back(), harness::synthetic_run(settings), rows);
  }
  harness::Provenance provenance;
  provenance.experiment = std::filesystem::path(path).stem().string();
  provenance.experiment_toml = experiment_toml;
  provenance.git_commit = "0123456789abcdef0123456789abcdef01234567";
  provenance.git_dirty = true;
  provenance.versions = "harness 0.1.0";
  provenance.machine = "a machine";
  provenance.wall_s = 1;
  harness::assemble_results(path, files, provenance);
  for (const std::string& file : files) std::filesystem::remove(file);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: write_example_results FILE.h5 small|many|paper|sweep|streams|live\n");
    return 2;
  }
  const std::string shape = argv[2];
  if (shape == "small") write(argv[1], cells_of(small()), true, "# made up\n");
  if (shape == "many") write(argv[1], cells_of(many()), false, "# made up\n");
  if (shape == "paper") write(argv[1], paper_cells(), true, "figures = [\"pard/fig8\", \"pard/fig9\"]\n");
  if (shape == "live") write(argv[1], live_cells(), true, "# made up\n");
  if (shape == "streams")
    write(argv[1], streams_cells(), true,
          "figures = [\"shepherd/fig7\"]\n[workload]\nrates_rps = [300, 900, 1800]\n");
  if (shape == "sweep") write(argv[1], sweep_cells(), true, "figures = [\"pard/fig14c\"]\n");
  return 0;
}
