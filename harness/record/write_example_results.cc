// write_example_results FILE.h5 small|many: a results file with made-up runs, for the tests of schema and
// figures.
#include <cstdio>
#include <filesystem>

#include "harness/record/results_file.h"
#include "harness/record/synthetic_run.h"

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

/// 15 systems and variants, 33 workloads: close to 500 cells.
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

/// Values that make the systems differ.
double patience_of(std::size_t system) {
  return system == 0 ? 1.0 : 1.0 - 0.12 * static_cast<double>(system % 5);
}

std::vector<SyntheticSettings> cells_of(const Shape& shape) {
  std::vector<SyntheticSettings> cells;
  for (const std::string& pipeline : shape.pipelines)
    for (const std::string& trace : shape.traces)
      for (const double load : shape.loads)
        for (std::size_t i = 0; i < shape.systems.size() * shape.variants.size(); ++i)
          for (std::uint64_t seed = 1; seed <= shape.seeds; ++seed) {
            SyntheticSettings cell;
            cell.cell.index = static_cast<std::uint32_t>(cells.size());
            cell.cell.system = shape.systems[i / shape.variants.size()];
            cell.cell.variant = shape.variants[i % shape.variants.size()];
            cell.cell.pipeline = pipeline;
            cell.cell.trace = trace;
            cell.cell.load = load;
            cell.cell.seed = seed;
            cell.cell.effective_toml = "seed = " + std::to_string(seed) + "\n";
            cell.cell.input_hash = harness::hex16(cells.size());
            cell.modules = pipeline == "tm" ? 3 : 5;
            cell.seconds = shape.seconds;
            cell.mean_rps = shape.mean_rps * load;
            cell.patience = patience_of(i);
            cells.push_back(cell);
          }
  return cells;
}

void write(const std::string& path, const Shape& shape, bool rows) {
  std::vector<std::string> files;
  for (const SyntheticSettings& settings : cells_of(shape)) {
    files.push_back(path + ".cell" + std::to_string(files.size()));
    harness::write_synthetic_cell(files.back(), harness::synthetic_run(settings), rows);
  }
  harness::Provenance provenance;
  provenance.experiment = std::filesystem::path(path).stem().string();
  provenance.experiment_toml = "# made up\n";
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
    std::fprintf(stderr, "usage: write_example_results FILE.h5 small|many\n");
    return 2;
  }
  const bool is_small = std::string(argv[2]) == "small";
  write(argv[1], is_small ? small() : many(), is_small);
  return 0;
}
