// Empty: the target harness_torch_precompiled needs a source to precompile LibTorch's headers for the others.
