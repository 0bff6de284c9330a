"""How the PyTorch peers are timed: as benchmarks/device.h does it on the C++ side. On the CPU one warm-up, then the mean of some runs. On a GPU
(the second argument is cuda: all tensors are made there) 20 that do not count and the mean of 60 at whose end it is waited for; what a plain
script does is then timed under torch.compile, too."""
import json
import re
import sys
import time

import torch

GPU = len(sys.argv) > 2 and sys.argv[2] == "cuda"
# What is timed makes its tensors there by name: a default device costs time at every call, and
# torch.compile takes no notice of it.
DEVICE = "cuda" if GPU else "cpu"
if GPU:
    torch.set_default_device(DEVICE)


def seconds(run, runs):
    if not GPU:
        return mean_of(run, 1, runs, lambda: None)
    torch.set_default_device(None)
    try:
        return mean_of(run, 20, 60, torch.cuda.synchronize)
    finally:
        torch.set_default_device(DEVICE)


def mean_of(run, before, runs, wait):
    for _ in range(before):
        run()
    wait()
    start = time.perf_counter()
    for _ in range(runs):
        run()
    wait()
    return (time.perf_counter() - start) / runs


class Results:
    """name -> {column: seconds}, for the names that the pattern in argv[1] allows; printed as one JSON object."""

    def __init__(self):
        self.pattern = re.compile(sys.argv[1] if len(sys.argv) > 1 else "")
        self.times = {}

    def wants(self, name):
        return self.pattern.search(name) is not None

    def add(self, name, column, run, runs):
        if not self.wants(name):
            return
        self.take(name, column, run, runs)
        if GPU and column == "loop":
            try:
                self.take(name, "compiled", torch.compile(run), runs)
            except Exception as error:  # whatever the compiler cannot do: the other columns stand
                reason = " ".join(str(error).split())[:300]
                print(f"{name} compiled: {type(error).__name__}: {reason}", file=sys.stderr, flush=True)

    def take(self, name, column, run, runs):
        self.times.setdefault(name, {})[column] = seconds(run, runs)
        print(f"{name} {column}: {1e3 * self.times[name][column]:.3f} ms", file=sys.stderr, flush=True)

    def print(self):
        json.dump(self.times, sys.stdout)
