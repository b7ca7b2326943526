#include "workloads/files/batch_table.h"

#include <gtest/gtest.h>

#include "harness/core/test_refusal.h"

namespace harness {
namespace {

std::string answer_to(const std::string& text) {
  return refusal_of([&] { refuse_batch_table({"f.csv", 0, ""}, text); });
}

TEST(BatchTable, WhatToolsWriteOfBatchesIsToldWithItsImporter) {
  for (const char* text :
       {"model,batch,latency_ms\nm,1,5.2\n",
        "\xef\xbb\xbf"
        "Batch Size;P50 (ms);P99 (ms)\n1;5;6\n",
        "bs\tmean_us\n1\t5\n", "Concurrency,Inferences/Second,Client Send,p50 latency\n1,145.2,12,6850\n",
        "Model,Batch,Concurrency,Throughput (infer/sec),p99 Latency (ms)\nr,1,1,145,7\n",
        "time_stats.emb.min,time_stats.emb.median,num_tokens\n0.02,0.02,1\n",
        "[\n  { \"startH2dMs\" : 1.0, \"computeMs\" : 3.0 }\n]", R"({"schemaVersion":1,"traceEvents":[]})"})
    EXPECT_EQ(
        answer_to(text),
        "f.csv: found latencies of batches, as another tool wrote them; allowed: a set of profiles made of "
        "them: harness profile import FILE -o SET.toml");
}

TEST(BatchTable, TracesAndLogsWithSuchColumnsAreNone) {
  for (const char* text : {"", "3\n4\n5\n", "timestamp,model,batch,latency_ms\n0.1,m,4,9\n",
                           "arrived_at,batch_size,mean\n1,2,3\n", "second,requests\n0,4\n",
                           "TIMESTAMP,ContextTokens,GeneratedTokens\n",
                           "{\"timestamp\": 3, \"input_length\": 5}\n", "time,batch,throughput\n0,1,100\n"})
    EXPECT_EQ(answer_to(text), "no error") << text;
}

}  // namespace
}  // namespace harness
