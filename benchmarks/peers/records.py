"""Reads and aggregates the records that benchmarks/bench_records.cpp wrote: json, then mean and 95 % interval over seeds with torch."""
import json
from collections import defaultdict
from pathlib import Path

import torch
from timing import Results

T_19 = 2.093024054408263  # Student's t, 97.5 %, 19 degrees of freedom: every cell has 20 seeds


def aggregate():
    values = defaultdict(list)
    for path in sorted(Path("data/records").rglob("record.json")):
        record = json.loads(path.read_text())
        for metric in record["metrics"]:
            values[record["table"], record["dataset"], record["method"], metric["name"]].append(metric["value"])
    return {key: (torch.tensor(v).mean().item(), T_19 * torch.tensor(v).std().item() / len(v) ** 0.5) for key, v in values.items()}


def main():
    results = Results()
    results.add("records/read_and_aggregate", "loop", aggregate, 3)
    results.print()


main()
