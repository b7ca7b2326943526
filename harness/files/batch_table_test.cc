#include "harness/files/batch_table.h"

#include <gtest/gtest.h>

namespace harness {
namespace {

TEST(BatchTable, WhatToolsWriteIsRecognised) {
  for (const char* text :
       {"Concurrency,Inferences/Second,Client Send,p50 latency\n1,145.2,12,6850\n",
        "time_stats.emb.min,time_stats.emb.median,num_tokens\n0.02,0.02,1\n",
        "[\n  { \"startH2dMs\" : 1.0, \"computeMs\" : 3.0 }\n]", R"({"schemaVersion":1,"traceEvents":[]})"}) {
    EXPECT_TRUE(is_latency_report(text)) << text;
    EXPECT_TRUE(may_be_batch_table(text)) << text;
  }
  for (const char* text :
       {"model,batch,latency_ms\nm,1,5.2\n",
        "\xef\xbb\xbf"
        "Batch Size;P50 (ms);P99 (ms)\n1;5;6\n",
        "\nbs\tmean_us\n1\t5\n", "Model,Batch,Concurrency,Throughput (infer/sec)\nr,1,1,145\n"}) {
    EXPECT_FALSE(is_latency_report(text)) << text;
    EXPECT_TRUE(may_be_batch_table(text)) << text;
  }
}

TEST(BatchTable, TracesAreNone) {
  for (const char* text :
       {"", "3\n4\n5\n", "second,requests\n0,4\n", "TIMESTAMP,ContextTokens,GeneratedTokens\n",
        "{\"timestamp\": 3, \"input_length\": 5, \"meta\": {\"computeMs\": 3}}\n",
        "timestamp,latency_ms\n1,3\n"}) {
    EXPECT_FALSE(is_latency_report(text)) << text;
    EXPECT_FALSE(may_be_batch_table(text)) << text;
  }
}

}  // namespace
}  // namespace harness
