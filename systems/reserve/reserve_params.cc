#include "systems/reserve/reserve_params.h"

namespace harness {

void ReserveParams::list(ParamList& params) {
  params.flag("admission", admission,
              "a request enters only if a batch of every module has a place for it in time; off: all enter");
  params.flag(
      "feedback", feedback,
      "queues report their delay, which corrects the reservations; the margin grows and shrinks either way");
  params.flag("hold", hold,
              "a batch that is not full starts as late as it can and still end when a full one would; off: "
              "when its turn comes");
  params.number("margin", margin, 0, 100,
                "requests are to end so much before their deadlines, in times between two batches, summed "
                "over the longest path; more once visits are lost");
  params.number("lost_target", lost_target, 0, 1,
                "the margin grows while a larger share of visits than this is dropped or late behind the "
                "admission, and shrinks while it is less");
}

}  // namespace harness
