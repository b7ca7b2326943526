#include "systems/quart/placement_params.h"

namespace harness {

void PlacementParams::list(ParamList& params) {
  params.choice(
      "cache", cache, {"none", "keys", "all"},
      "whose parameters stay in a server's memory after an instance has gone: nobody's, those of key "
      "stages (section 6.1), those of every stage (beyond the paper)");
  params.choice(
      "placement", placement, {"quart", "first_fit"},
      "where an instance starts: quart: key stages where their parameters are kept or most GPUs are "
      "free, or spread, and others packed (section 6.2); first_fit: the lowest server with room");
  params.integer(
      "roomy_gpus", roomy_gpus, 0, 1024,
      "free GPUs of a server that has room for a key stage to grow; where such servers are fewer than "
      "key stages, instances of these are spread (section 6.2)");
  params.number("kl_threshold", kl_threshold, 1e-9, 10,
                "divergence from the uniform row at which a key stage's row has been dispersed enough (Eq. "
                "8-10); above log(servers) instances stay together");
}

}  // namespace harness
