#include "workloads/catalogue/pipeline_table.h"

namespace harness {

void PipelineTable::list(ParamList& params) {
  params.text("description", description, "a text", "what `harness list pipelines` says of it");
  params.milliseconds("slo_ms", slo_ns, 1e-3, 1e9, "the end-to-end latency objective").needed();
  if (has_tasks) {
    params.choice("fan_out_spread", fixed_fan_out, {"poisson", "rounded"},
                  "how the numbers of visits that a visit causes are drawn around their means");
    params.other("task", "tables [[task]]", "the tasks, a tree").needed("at least one [[task]]");
    return;
  }
  params.flag("independent", independent,
              "whether it may have several entries: models or pipelines without an edge between them, each "
              "with its own requests");
  params.other("module", "tables [[module]]", "the modules, an acyclic graph")
      .needed("at least one [[module]]");
  params.other("task", "tables [[task]]", "in place of the last two keys: a task tree, with keys of its own");
}

void InputTable::list(ParamList& params) {
  params.number("input_bytes", bytes, 0, kMaxInputBytes, "bytes of the tensor that a visit brings");
  params.numbers("input_size", size, 1, 4096,
                 "[height, width] of the image that a visit brings, in pixels of 3 bytes, at most 32 MiB");
}

void ModuleTable::list(ParamList& params) {
  params.text("name", name, "a text", "the module").needed();
  params.text("model", model, "a model of the set of profiles", "its model").needed();
  params.text("source", source, "a text", "the reason for that model");
  params.texts("pres", pres, "names of modules", "the modules before it; one side of an edge is enough");
  params.texts("subs", subs, "names of modules", "the modules after it");
  params.choice("branches", branches, {kBranchNames.begin(), kBranchNames.end()},
                "all: a request goes to all of subs; one: to one of them; each: to each with a probability "
                "of its own");
  params.numbers("branch_weights", weights, 1e-6, 1e6,
                 "branches = one: a weight for each of subs, in their order; none: equal ones");
  params
      .numbers("branch_probabilities", probabilities, 1e-6, 1,
               "branches = each: a probability for each of subs, in their order")
      .by_default("(needed by each)");
  input.list(params);
  params.text("file", file, "a path, from the pipeline's folder",
              "a TorchScript file that runs in place of the zoo's network, on images of input_size");
}

void TaskTable::list(ParamList& params) {
  params.text("name", name, "a text", "the task").needed();
  params.texts("subs", subs, "names of tasks", "the tasks after it; a task comes after one other at most");
  input.list(params);
  params.other("variant", "tables [[task.variant]]", "the models that can do it")
      .needed("at least one [[task.variant]]");
}

void VariantTable::list(ParamList& params) {
  params.text("model", model, "a model of the set of profiles", "the variant's model").needed();
  params.number("accuracy", accuracy, 1e-6, 1e6, "in any unit; divided by the task's best").needed();
  params.text("accuracy_source", accuracy_source, "a text", "where the accuracy is from");
  params
      .numbers("fan_out", fan_out, 0, 100,
               "mean visits at each of the task's subs that one visit here causes: the multiplicative "
               "factor times the share of that branch")
      .by_default("(needed if the task has subs)");
  params.text("source", source, "a text", "where the model is from");
}

}  // namespace harness
