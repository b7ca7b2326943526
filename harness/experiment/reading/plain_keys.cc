#include "harness/experiment/reading/plain_keys.h"

#include <iterator>

namespace harness {
namespace {

constexpr PlainKey kKeys[] = {
    {"", "name", "the file's stem", "a text", "what results call the experiment"},
    {"", "runtime", "simulated", "simulated, emulated, gpu or a list of them",
     "axis: where the cells run: in virtual time, in wall-clock time with emulated GPUs, or with devices "
     "that run "
     "the networks"},
    {"", "cell_limit_s", "0", "a number from 0 to 1e+09",
     "wall time after which a cell is given up and recorded as invalid; 0: none"},
    {"", "figures", "(none)", "names of results/figures/catalogue.txt",
     "what `harness figures` draws of the results; (none): the general figures"},
    {"suite", "suite", "(needed)", "paths of experiment files, from the suite's folder",
     "the experiments, in the order in which they run"},
    {"suite", "name", "the file's stem", "a text", "what the last lines call the suite"},
    {"workload", "pipelines", "(needed)", "names of `harness list pipelines`, or paths ending in .toml",
     "axis: what is served"},
    {"workload", "traces", "(needed)", "names of [trace.NAME] tables, or bare shapes",
     "axis: request rate over time"},
    {"workload", "loads", "1", "numbers from 1e-06 to 1000",
     "axis: offered rate, relative to the capacity that the initial plan has without the systems' own "
     "settings"},
    {"workload", "rates_rps", "(loads)", "numbers from 0 to 1e+09",
     "axis, instead of loads: offered rate in requests/s; 0 replays a recorded trace as it is (each time, or "
     "each bin), and streams "
     "at the "
     "rates of their classes"},
    {"workload", "rates_rps_per_worker", "(loads)", "numbers from 1e-06 to 1e+06",
     "axis, instead of loads: offered rate in requests/s for each worker of the cluster, so that the load "
     "follows a sweep of cluster.workers"},
    {"workload", "seeds", "1", "integers from 0 to 2^53", "axis: all randomness follows from it"},
    {"workload", "slo_ms", "the pipeline's", "numbers from 0.001 to 1e+07",
     "axis: end-to-end latency objective"},
    {"workload", "slo_factors", "(slo_ms)", "numbers from 1 to 1e+06",
     "axis, instead of slo_ms: latency objective as a multiple of the shortest service time: the longest "
     "path "
     "of batches of one, each model on its fastest kind of device; of pipelines with one entry and no tasks"},
    {"workload", "duration_s", "60", "a number from 0 to 1e+09",
     "duration_s of every trace that does not set its own"},
    {"system", "name", "(needed)", "a name of `harness list systems`", "the system"},
    {"system", "library", "(none)", "a path, from the experiment file's folder",
     "the shared library that the system comes with, if it is not one of the program's (systems/README.md)"},
    {"system", "variant", "default, or what is overridden", "a text",
     "what results call this setting of the system"},
    {"system", "params", "{}", "a table of the system's parameters",
     "short for set with the system's name before the key"},
    {"system", "planner", "(its own)", "a system whose plans others can serve by: inferline, quart",
     "the system serves by the plans of this one (systems/README.md)"},
    {"system", "planner_params", "{}", "a table of the planner's parameters",
     "short for set with the planner's name before the key"},
    {"system", "set", "{}",
     "a table of dotted keys of cluster, serving, planner, gpu, module.NAME and the system",
     "settings for this system alone; the load stays the same"},
    {"system", "only", "{}",
     "{ pipelines = [...], traces = [...], settings = [...] }, names of [workload] and of [[setting]]",
     "the entry makes cells on these alone; a list left out: on all"},
    {"sweep", "key", "(needed)", "a dotted key, such as \"planner.sizing_factor\" or \"pard.lambda\"",
     "axis over any setting but the axes of [workload]; the key of a system, trace, module or of [live] "
     "multiplies only the cells it concerns"},
    {"sweep", "values", "(needed)", "values that the key may have", "the axis' values, in order"},
    {"setting", "name", "(needed)", "a text", "what results call these values: the parameter `setting`"},
    {"setting", "set", "(needed)",
     "a table of dotted keys of cluster, serving, planner, module.NAME, trace.NAME and systems, and "
     "workload.load",
     "values that go together; what a [[system]] sets for itself stays"},
    {"cluster.device", "name", "(needed)", "a device of the set of profiles", "the kind"},
    {"cluster.device", "count", "(needed)", "an integer from 1 to 1000000", "how many there are"},
    {"cluster.device", "usd_per_h", "(needed)", "a number from 0 to 1e+06",
     "what one that is in use costs an hour, with all that it takes; 0: the costs are not known"},
    {"fault", "name", "(none)", "letters, digits, - and _",
     "what the keys fault.NAME.KEY of a [[sweep]] and of --set call it, alone or with others of that name"},
    {"fault", "on", "true", "true or false", "whether it happens: swept, the same cells with it and without"},
    {"fault", "kind", "(needed)", "one of stop, slow, delay, loss",
     "the GPUs stop; batches that start take longer; messages to and from their queues take longer, or are "
     "lost"},
    {"fault", "at_s", "(needed)", "a number from 0 to 1e+09", "when it begins, in time of the load"},
    {"fault", "for_s", "(needed)", "a number above 0, at most 1e+09", "how long it lasts"},
    {"fault", "gpu", "(this or gpus)", "an integer from 0 to workers - 1", "the one that it concerns"},
    {"fault", "gpus", "(this or gpu)", "[FIRST, LAST], two of these integers",
     "all from the first to the last"},
    {"fault", "count", "1", "an integer from 1 to workers - gpu", "beside gpu: so many from that one on"},
    {"fault", "factor", "(needed by slow)", "a number from 1 to 1000",
     "slow: execution times are multiplied by this"},
    {"fault", "delay_ms", "(needed by delay)", "a number above 0, at most 1e+06",
     "delay: every message takes longer by this"},
    {"repeat_until", "metric", "(needed)", "a column of /summary that holds numbers",
     "what must be known well enough in every workload and configuration"},
    {"repeat_until", "half_width", "(needed)", "a number from 1e-12 to 1e+12",
     "the most that half the width of the 95 % confidence interval over the seeds (Student's t) may be"},
    {"repeat_until", "baseline", "(none)", "a configuration: a system, or SYSTEM/VARIANT",
     "the interval is then of the differences to this configuration, paired by seed, else of the "
     "metric itself"},
    {"repeat_until", "max_seeds", "20", "an integer from 2 to 1000",
     "no more seeds than this, those listed included"},
    {"robustness", "over", "{}", "a table of the keys of a [[setting]], each with a value or a list of them",
     "values that `harness robust` tries, before its standard ones and in place of the values of the same "
     "key"},
    {"robustness", "standard", "true", "true or false", "whether it tries its standard values too"},
    {"robustness", "metric", "goodput_rps", "a metric that is better higher or lower",
     "by which it orders the systems"},
    {"robustness", "margin", "0.01", "a number from 0 to 1",
     "a difference within this share of the larger mean is a tie"},
    {"robustness", "seeds", "5", "an integer from 2 to 1000",
     "an experiment with fewer seeds gets the seeds 1 to this"},
    {"robustness", "cells", "1000", "an integer from 1 to 1000000",
     "its budget: values beyond it are left out, the last of the list first"},
    {"robustness", "left_out", "[]", "a list of texts",
     "in results of `harness robust`: what it has not tried, and why"},
    {"record", "rows", "true", "true, false, or the cells that do, such as [3, 17]",
     "whether the results hold a row for each request and each visit; every metric is computed either way"},
    {"record", "states", "false", "as rows",
     "whether the results hold a row for each state that a controller publishes (PARD: one per module and "
     "state period)"},
    {"record", "replay", "false", "as rows",
     "whether the results hold all that reached each queue, for `harness replay`"},
};

}  // namespace

const std::vector<PlainKey>& plain_keys() {
  static const std::vector<PlainKey> kList(std::begin(kKeys), std::end(kKeys));
  return kList;
}

std::vector<std::string> plain_keys_of(const std::string& table) {
  std::vector<std::string> names;
  for (const PlainKey& key : plain_keys()) {
    if (table == key.table) names.push_back(key.name);
  }
  return names;
}

}  // namespace harness
