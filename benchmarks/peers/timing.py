"""How the PyTorch peers are timed: one warm-up, then the mean of some runs, as the C++ side does."""
import json
import re
import sys
import time


def seconds(run, runs):
    run()
    start = time.perf_counter()
    for _ in range(runs):
        run()
    return (time.perf_counter() - start) / runs


class Results:
    """name -> {column: seconds}, for the names that the pattern in argv[1] allows; printed as one JSON object."""

    def __init__(self):
        self.pattern = re.compile(sys.argv[1] if len(sys.argv) > 1 else "")
        self.times = {}

    def wants(self, name):
        return self.pattern.search(name) is not None

    def add(self, name, column, run, runs):
        if self.wants(name):
            self.times.setdefault(name, {})[column] = seconds(run, runs)
            print(f"{name} {column}: {1e3 * self.times[name][column]:.3f} ms", file=sys.stderr, flush=True)

    def print(self):
        json.dump(self.times, sys.stdout)
