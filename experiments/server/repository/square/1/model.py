"""A model that squares its input. A batch takes 10 ms, and 1 ms more for each of its rows: on a GPU, too, a batch takes a fixed
time and a time for each row.

The model sleeps for that time. A GPU works beside the cores, so a batch must not take one from the server and from the load
generator; and every machine has the same times. Triton's queue waits for the model's process either way. What a sleep cannot show
is how fast a machine computes."""

import time

import numpy
import triton_python_backend_utils as triton

FIXED_S = 0.010
ROW_S = 0.001


class TritonPythonModel:

    def execute(self, requests):
        end = time.monotonic() + FIXED_S
        responses = []
        for request in requests:
            rows = triton.get_input_tensor_by_name(request, "x").as_numpy()
            end += ROW_S * len(rows)
            responses.append(triton.InferenceResponse([triton.Tensor("y", numpy.square(rows))]))
        time.sleep(max(0, end - time.monotonic()))
        return responses
