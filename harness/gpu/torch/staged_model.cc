#include "harness/gpu/torch/staged_model.h"

#include <cstddef>

namespace harness {

std::uint64_t bytes_of(const StagedModel& model) {
  std::uint64_t bytes = 0;
  for (const at::Tensor& weight : model.weights) bytes += weight.nbytes();
  return bytes;
}

std::vector<bool> spread_exit_points(int exit_points, int stages) {
  std::vector<bool> exits(static_cast<std::size_t>(stages), false);
  for (int point = 1; point <= exit_points; ++point)
    exits[static_cast<std::size_t>(point) * exits.size() / static_cast<std::size_t>(exit_points + 1)] = true;
  return exits;
}

std::optional<at::Tensor> run_stages(const StagedModel& model, const std::vector<bool>& exits,
                                     const at::Tensor& input, const std::atomic<bool>& stop) {
  std::vector<at::Tensor> state = {input};
  for (std::size_t stage = 0; stage < model.stages.size(); ++stage) {
    if (exits[stage] && stop) return std::nullopt;
    model.stages[stage](state);
  }
  return state.at(0);
}

}  // namespace harness
