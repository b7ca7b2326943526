"""What other tools measured becomes a set of profiles: each number by hand, each advice tried."""

import contextlib
import gzip
import io
import json
import os
import shlex
import sys
import tempfile
import tomllib
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import profiles  # noqa: E402

SAID = ["--model", "m", "--device", "L4"]
PERF_ANALYZER = """\
Concurrency,Inferences/Second,Client Send,Network+Server Send/Recv,Server Queue,Server Compute Input,Server Compute Infer,\
Server Compute Output,Client Recv,p50 latency,p99 latency
1,145.2,12,340,41,30,6400,20,3,6850,7190
4,290.1,12,350,45,31,9000,20,3,9880,9990
"""


class Importing(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def written(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return path

    def run_on(self, texts, *options):
        """Returns (exit code, what was printed, the path of the set)."""
        paths = [self.written(f"f{number}.csv", text) for number, text in enumerate(texts)]
        output = os.path.join(self.folder, "set.toml")
        with contextlib.suppress(FileNotFoundError):
            os.remove(output)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            code = profiles.main([f"--output={output}", *options, "--", *paths])
        return code, printed.getvalue().replace(self.folder + "/", ""), output

    def imported(self, texts, *options):
        """Returns {(model, device): {batch: ms}} of the set that is written."""
        code, printed, output = self.run_on([texts] if isinstance(texts, str | bytes) else texts, *options)
        self.assertEqual(code, 0, printed)
        with open(output, "rb") as file:
            found = tomllib.load(file)["profile"]
        return {(one["model"], one["device"]): dict(zip(one["batch"], one["latency_ms"], strict=True)) for one in found}

    def refused(self, texts, *options):
        """Returns the line of a refusal, which leaves nothing behind."""
        code, printed, _ = self.run_on([texts] if isinstance(texts, str | bytes) else texts, *options)
        self.assertEqual((code, printed.count("\n")), (2, 1), printed)
        self.assertEqual([name for name in os.listdir(self.folder) if name.startswith("set")], [])
        return printed.strip()

    def refused_path(self, path):
        printed = io.StringIO()
        with contextlib.redirect_stderr(printed):
            self.assertEqual(profiles.main([f"--output={self.folder}/set.toml", "--", path]), 2)
        return printed.getvalue().strip()


class TheLatencyOfATable(Importing):
    def test_a_table_with_models_and_devices(self):
        found = self.imported("model,device,batch,mean_ms,p50_ms,p99_ms\nr,L4,1,5.3,5.2,9\nr,L4,2,6.4,6.1,9\nv,T4,1,3,2.5,4\n")
        self.assertEqual(found, {("r", "L4"): {1: 5.2, 2: 6.1}, ("v", "T4"): {1: 2.5}})

    def test_units_and_separators(self):
        for text in ("batch,latency_us\n1,5200\n", "Batch Size;Median (µs)\n1;5200\n", "bs\tlatency [s]\n1\t0.0052\n",
                     "batch,mean time (ns)\n1,5200000\n"):
            self.assertEqual(self.imported(text, *SAID), {("m", "L4"): {1: 5.2}}, text)
        line = self.refused("batch,latency\n1,5.2\n", *SAID)
        self.assertEqual(line, "harness: f0.csv:1: found no unit in 'latency'; allowed: --unit ns, us, ms or s")
        self.assertEqual(self.imported("batch,latency\n1,5.2\n", *SAID, "--unit", "ms"), {("m", "L4"): {1: 5.2}})


class SettingsAndOptions(Importing):
    def test_what_the_file_does_not_say_is_asked_for_at_once(self):
        line = self.refused(PERF_ANALYZER)
        self.assertIn("no name of the model and no name of the device and no batch size", line)
        self.assertIn("allowed: --model NAME --device NAME --batch N", line)
        self.assertIn("no name of the device; allowed: --device NAME", self.refused("model,batch,latency_ms\nm,1,5.2\n"))

    def test_repeats_give_their_median_and_settings_must_be_chosen(self):
        self.assertEqual(self.imported("run,batch,latency_ms\n1,1,5\n2,1,9\n3,1,6\n", *SAID), {("m", "L4"): {1: 6}})
        for column, values in (("precision", ("fp16", "fp32")), ("seq_len", ("128", "256")), ("GPU count", ("1", "2")),
                               ("sparsity", ("0.5", "0.9")), ("run config", ("a=b", "it's"))):
            text = f"batch,{column},latency_ms\n" + "1,{0},2\n1,{1},4\n2,{0},3\n2,{1},6\n".format(*values)
            line = self.refused(text, *SAID)
            self.assertIn(f"f0.csv:3: found m on L4 with {column} {values[1]}, and with {values[0]} in f0.csv:2", line)
            advised = shlex.split(line.partition("allowed: ")[2].replace(";", " "))
            for value, latencies in zip(values, ({1: 2, 2: 3}, {1: 4, 2: 6}), strict=True):
                self.assertIn(f"{column}={value}", advised)
                self.assertEqual(self.imported(text, *SAID, "--where", f"{column}={value}"), {("m", "L4"): latencies})
            self.assertIn(column, advised)
            self.assertEqual(self.imported(text, *SAID, "--ignore", column), {("m", "L4"): {1: 3, 2: 4.5}})

    def test_settings_are_the_same_over_all_batches_and_files(self):
        line = self.refused("batch,precision,latency_ms\n1,fp32,5\n2,int8,3\n", *SAID)
        self.assertIn("with precision int8, and with fp32 in f0.csv:2", line)
        one, two = "batch,precision,latency_ms\n1,fp16,5\n", "precision,batch,latency_ms\nint8,2,4\n"
        self.assertIn("f1.csv:2: found m on L4 with precision int8, and with fp16 in f0.csv:2", self.refused([one, two], *SAID))
        self.assertEqual(self.imported([one, two.replace("int8", "fp16")], *SAID), {("m", "L4"): {1: 5, 2: 4}})
        self.assertIn("a batch of 1 of m, as in f0.csv:2; allowed: each batch in one file", self.refused([one, one], *SAID))
        text = "model,batch,precision,latency_ms\na,1,fp16,5\nb,1,int8,3\n"
        self.assertEqual(self.imported(text, *SAID[2:]), {("a", "L4"): {1: 5}, ("b", "L4"): {1: 3}})

    def test_what_was_measured_is_no_setting(self):
        text = "run,timestamp,GPU util,throughput,memory (MiB),batch,latency_ms\n1,10:00,45%,\"1,234\",90,1,5\n2,10:01,46%,900,91,1,7\n"
        self.assertEqual(self.imported(text, *SAID), {("m", "L4"): {1: 6}})

    def test_only_the_latency_of_a_batch_is_taken_for_it(self):
        text = "batch,latency_ms,median throughput (req/s),p99_ms\n1,5,200,9\n2,6,333,9\n"
        self.assertEqual(self.imported(text, *SAID), {("m", "L4"): {1: 5, 2: 6}})
        for column in ("99th percentile latency (ms)", "max latency (ms)", "standard deviation of latency (ms)", "TTFT p50 (ms)",
                       "time between tokens (ms)"):
            line = self.refused(f"batch,{column}\n1,5\n", *SAID)
            self.assertIn(f"no column of latencies; allowed: --latency with one of: {column}", line)
            self.assertEqual(self.imported(f"batch,{column}\n1,5\n", *SAID, "--latency", column), {("m", "L4"): {1: 5}})
        for column in ("latency per image (ms)", "avg images/s", "throughput"):
            self.assertIn("no column of latencies; allowed: a table with", self.refused(f"batch,{column}\n1,5\n", *SAID))
            self.assertIn("no column of latencies", self.refused(f"batch,{column}\n1,5\n", *SAID, "--latency", column, "--unit", "s"))

    def test_the_batch_size_and_names_of_devices(self):
        text = "batch,Batch Size (images),latency_ms\n1,1,5\n2,8,9\n"
        self.assertEqual(self.imported(text, *SAID, "--ignore", "batch"), {("m", "L4"): {1: 5, 8: 9}})
        text = "gpu,batch,latency_ms,gpu_name\n0,1,5,L4\n"
        self.assertEqual(self.imported(text, *SAID[:2]), {("m", "L4"): {1: 5}})
        self.assertIn("no name of the device", self.refused("gpu,batch,latency_ms\n0,1,5\n", *SAID[:2]))

    def test_an_option_without_effect_is_refused(self):
        text = "model,device,batch,latency_ms\nr,L4,1,5\n"
        for option in (["--model", "m"], ["--device", "d"], ["--batch", "1"], ["--unit", "us"], ["--layers", "3"], ["--where", "x=1"],
                       ["--ignore", "x"]):
            self.assertIn(f"{option[0]}", self.refused(text, *option))
        line = self.refused(PERF_ANALYZER, *SAID, "--batch", "1", "--latency", "p50 latency")
        self.assertIn("--latency: found an option without effect", line)
        for option in (["--layers", "0"], ["--layers", "x"], ["--unit", "hours"], ["--batch", "0"]):
            self.assertIn(f"{option[0]}: found '{option[1]}'", self.refused(text, *option))

    def test_of_several_latencies_one_is_named(self):
        text = "batch,fp16 latency (ms),fp32 latency (ms)\n1,2,4\n"
        line = self.refused(text, *SAID)
        self.assertIn("no column of latencies; allowed: --latency with one of: fp16 latency (ms), fp32 latency (ms)", line)
        self.assertIn("several columns of latencies", self.refused("batch,latency_ms,inference time (ms)\n1,2,4\n", *SAID))
        self.assertEqual(self.imported(text, *SAID, "--latency", "fp32 latency (ms)"), {("m", "L4"): {1: 4}})
        self.assertEqual(self.imported("batch,mean_ms,p99_ms\n1,2,4\n", *SAID, "--latency", "p99_ms"), {("m", "L4"): {1: 4}})


class Tools(Importing):
    def test_perf_analyzer(self):
        # 30 + 6400 + 20 us; with four requests at once the server may have made batches of its own.
        self.assertEqual(self.imported(PERF_ANALYZER, *SAID, "--batch", "1"), {("m", "L4"): {1: 6.45}})
        four = PERF_ANALYZER.replace("6400", "9500")
        self.assertEqual(self.imported([PERF_ANALYZER, four], *SAID, "--batch", "1,4"), {("m", "L4"): {1: 6.45, 4: 9.55}})
        line = self.refused(PERF_ANALYZER, *SAID, "--batch", "1,4")
        self.assertIn("--batch: found '1,4'; allowed: a batch size from 1 to 4096 for each file", line)
        self.assertEqual(self.imported(PERF_ANALYZER.replace("7190", "7190,"), *SAID, "--batch", "1"), {("m", "L4"): {1: 6.45}})
        by_rate = PERF_ANALYZER.replace("Concurrency", "Request Rate")
        self.assertIn("no column 'Concurrency'; allowed: a measurement by concurrency", self.refused(by_rate, *SAID, "--batch", "1"))
        self.assertIn("no row of concurrency 1", self.refused(PERF_ANALYZER.replace("\n1,", "\n2,"), *SAID, "--batch", "1"))

    def test_model_analyzer(self):
        # One client that sends one batch after the other has batch / throughput seconds for each.
        text = "Model,Batch,Concurrency,Model Config Path,Throughput (infer/sec),p99 Latency (ms)\n"
        rows = "r,1,1,r_config_0,200,7\nr,4,1,r_config_0,400,12\nr,4,8,r_config_0,900,40\n"
        self.assertEqual(self.imported(text + rows, "--device", "L4"), {("r", "L4"): {1: 5, 4: 10}})
        line = self.refused(text + rows + "r,1,1,r_config_1,100,9\n", "--device", "L4")
        self.assertIn("--where 'Model Config Path=r_config_0' or --where 'Model Config Path=r_config_1'", line)

    def test_trtexec(self):
        runs = [{"startComputeMs": 1, "computeMs": value, "latencyMs": value + 0.5} for value in (3.0, 9.0, 3.5)]
        self.assertEqual(self.imported(json.dumps(runs), *SAID, "--batch", "1"), {("m", "L4"): {1: 3.5}})

    def test_torch_profiler(self):
        def steps(cat, *durations, start=0, pid=0):
            return [{"ph": "X", "cat": cat, "name": f"ProfilerStep#{number}", "ts": 10_000 * number + start, "dur": duration, "pid": pid}
                    for number, duration in enumerate(durations)]
        on_cpu = steps("user_annotation", 2000, 2200, 9000)
        kernel = {"ph": "X", "cat": "Kernel", "name": "gemm", "ts": 0, "dur": 10}
        # Each stream has an event of its own: a step lasts from the first beginning to the last end.
        on_gpu = steps("gpu_user_annotation", 5000, 5200, 5000) + steps("gpu_user_annotation", 100, 40, 40, start=5000)
        for events, expected in ((on_cpu, 2.2), (on_cpu + [kernel] + on_gpu, 5.1)):
            self.assertEqual(self.imported(json.dumps({"traceEvents": events}), *SAID, "--batch", "1"), {("m", "L4"): {1: expected}})
        two = on_gpu + steps("gpu_user_annotation", 5000, pid=1)
        self.assertIn("steps on several GPUs", self.refused(json.dumps({"traceEvents": two}), *SAID, "--batch", "1"))
        self.assertIn("no ProfilerStep on the GPU", self.refused(json.dumps({"traceEvents": on_cpu + [kernel]}), *SAID, "--batch", "1"))

    def test_vidur(self):
        heading = "time_stats.emb.median,time_stats.mlp_up_proj.median,time_stats.mlp_up_proj.max,num_tensor_parallel_workers,num_tokens\n"
        text = heading + "0.5,0.1,9,1,1\n0.5,0.2,9,1,8\n0.5,0.05,9,2,1\n0.5,0.1,9,2,8\n"
        line = self.refused(text, *SAID, "--layers", "32")
        self.assertIn("--where num_tensor_parallel_workers=2", line)
        found = self.imported(text, *SAID, "--layers", "32", "--where", "num_tensor_parallel_workers=1")
        self.assertEqual(found, {("m", "L4"): {1: 3.7, 8: 6.9}})


class Files(Importing):
    def test_gzip_and_byte_order_mark(self):
        packed = gzip.compress("\ufeffbatch,latency_ms\r\n1,5.2\r\n".encode())
        self.assertEqual(self.imported(packed, *SAID), {("m", "L4"): {1: 5.2}})
        self.assertIn("allowed: a readable file", self.refused(packed[:12] + b"\xff" * 40, *SAID))
        self.assertEqual(self.imported("\n# a; remark\nbatch,latency_ms\n\n1,5.2\n", *SAID), {("m", "L4"): {1: 5.2}})

    def test_what_is_no_profile_is_refused_in_one_line(self):
        nan, field, model = "batch,latency_ms\n1,nan\n", "batch,latency_ms\n1,2,3\n", "model,batch,latency_ms\n,1,3\n"
        for text, words in (("", "an empty table"), ("a,b\n1,2\n", "no column of batch sizes"), ("batch,latency_ms\n", "no measurement"),
                            ("[1, 2]", "JSON of no kind that is known"), ("{", "JSON that cannot be read"),
                            ("[" * 100_000, "JSON that cannot be read"), ('{"traceEvents": [3]}', "no ProfilerStep"),
                            ("batch,latency_ms\n4,5\n8,9\n", "no batch of 1 of m on L4, the smallest is of 4"),
                            ("batch,latency_ms\n1,0\n", "a latency of 0 ms"), ("batch,latency_ms\n1,-3\n", "a latency of -3 ms"),
                            (nan, "latency_ms: found 'nan'; allowed: a number"), ("batch,latency_ms\n1,n/a\n", "found 'n/a'"),
                            ("batch,latency_ms\n1.5,3\n", "batch: found 1.5"), ("batch,latency_ms\n5000,3\n", "batch: found 5000"),
                            ("batch;p50_us\n1;850.125\n8;1.234\n", "'850.125', of thousands or with three decimals"),
                            ("batch,latency_ms\n1,1_0\n", "found '1_0'"), ("batch;latency_ms\n1;4,56\n", "a number with a decimal point"),
                            ('[{"computeMs": 1' + "0" * 400 + "}]", "a number with a decimal point"), (",,,\n,,,\n", "an empty table"),
                            (field, "f0.csv:2: found 3 fields; allowed: 2"), (b"batch\xff,latency_ms\n1,2\n", "bytes that are no UTF-8"),
                            (model, "no name of the model or the device"), (b"batch,latency_ms\n1,\x002\n", ""),
                            ("vgg:x:1\nL4\nForward latency\n", "Nexus's format")):
            with self.subTest(text[:40]):
                said = SAID[2:] if isinstance(text, str) and text.startswith("model") else SAID
                self.assertIn(words, self.refused(text, *said, *(["--batch", "1"] if text[:1] in ("[", "{") else [])))
        for path in ("missing.csv", "/dev/null", self.folder):
            self.assertIn(f"harness: {path}: found no ", self.refused_path(path))


if __name__ == "__main__":
    unittest.main()
