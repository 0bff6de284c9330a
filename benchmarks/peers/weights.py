"""Reads the file that benchmarks/bench_weights.cpp wrote with torch.load, which runs nothing in it either."""
import torch
from timing import Results


def main():
    results = Results()
    results.add("weights/read_vgg16_pth", "loop", lambda: torch.load("data/vgg16.pth", weights_only=True), 5)
    results.print()


main()
