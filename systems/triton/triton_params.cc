#include "systems/triton/triton_params.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "harness/core/param_error.h"

namespace harness {
namespace {

constexpr int kMost = 1'000'000'000;

}  // namespace

void TritonParams::list(ParamList& params) {
  params.flag("dynamic_batching", dynamic_batching,
              "batches are formed in the queue; without, each request runs alone");
  const auto of_the_batcher = [](Param& param) { param.only_with("dynamic_batching", {"true"}); };
  of_the_batcher(params.integer("max_batch_size", max_batch_size, 0, kMost,
                                "no batch is larger than this, nor than planned; 0: as planned"));
  of_the_batcher(params.any_text(
      "preferred_batch_size", preferred_batch_size, "whole numbers from 1 on, separated by commas",
      "sizes at which a batch is sent at once, such as \"4, 8\"; of those that can "
      "be had, the largest. Empty, or all are above a module's maximum: the "
      "maximum"));
  of_the_batcher(params.integer("max_queue_delay_us", max_queue_delay_us, 0, kMost,
                                "a batch that has no preferred size waits for more requests until its oldest "
                                "one has waited this long; 0: it does not wait"));
  of_the_batcher(params.integer("max_queue_size", max_queue_size, 0, kMost,
                                "a request that finds this many waiting is refused; 0: none is"));
  of_the_batcher(params.integer("default_timeout_us", default_timeout_us, 0, kMost,
                                "a request that has waited longer than this has timed out; 0: never"));
  of_the_batcher(params.choice("timeout_action", timeout_action, {"reject", "delay"},
                               "a request that has timed out: reject, it is dropped; delay, it is served "
                               "after those that have not timed out"));
}

std::vector<int> TritonParams::preferred_sizes() const {
  std::vector<int> sizes;
  std::string_view rest = preferred_batch_size;
  while (!rest.empty()) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    std::string_view one = rest.substr(0, comma);
    rest.remove_prefix(std::min(comma + 1, rest.size()));
    one.remove_prefix(std::min(one.find_first_not_of(' '), one.size()));
    one = one.substr(0, one.find_last_not_of(' ') + 1);
    int size = 0;
    const auto [end, error] = std::from_chars(one.data(), one.data() + one.size(), size);
    if (error != std::errc{} || end != one.data() + one.size() || size < 1)
      throw ParamError({"", 0, "triton.preferred_batch_size"}, '"' + preferred_batch_size + '"',
                       "whole numbers from 1 on, separated by commas");
    sizes.push_back(size);
  }
  std::sort(sizes.begin(), sizes.end());
  sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
  return sizes;
}

}  // namespace harness
