#!/usr/bin/env -S python3 -B
"""What `./reprise bench --store` keeps and `--against` makes of it: a case is slower where its best round is worse than the worst one kept."""
import contextlib
import importlib.machinery
import importlib.util
import io
import json
import tempfile
import unittest
from pathlib import Path

RUN = Path(__file__).resolve().parent.parent.parent / "benchmarks" / "run"
loader = importlib.machinery.SourceFileLoader("run", str(RUN))
run = importlib.util.module_from_spec(importlib.util.spec_from_loader("run", loader))
loader.exec_module(run)


def rounds(ratios, name="case"):
    return [({name: {"seconds": ratio}, "alone": {"seconds": 1.0}}, {name: {"loop": 1.0}}) for ratio in ratios]


class Ratios(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = Path(folder.name) / "reference.json"
        run.store(self.file, run.ratios_of(rounds([0.5, 0.55, 0.6])), "cpu", {})

    def slower(self, ratios, name="case"):
        self.told = io.StringIO()
        with contextlib.redirect_stdout(self.told):
            return run.compare(run.read_kept(self.file, "cpu"), run.ratios_of(rounds(ratios, name)), self.file)

    def test_within_the_spread_nothing_is_slower(self):
        self.assertEqual(self.slower([0.59, 0.7, 0.9]), 0)
        self.assertIn("1 unchanged within the spread", self.told.getvalue())

    def test_every_round_beyond_the_worst_one_kept_is_slower(self):
        self.assertEqual(self.slower([0.61, 0.62, 0.9]), 1)
        self.assertIn("case: 0.61 to 0.90, was 0.50 to 0.60", self.told.getvalue())

    def test_faster_is_told_and_fails_nothing(self):
        self.assertEqual(self.slower([0.2, 0.3]), 0)
        self.assertIn("faster  case", self.told.getvalue())

    def test_cases_that_did_not_run_stay_as_they_are(self):
        run.store(self.file, run.ratios_of(rounds([2.0], "other")), "cpu", run.read_kept(self.file, "cpu"))
        self.assertEqual(json.loads(self.file.read_text())["cases"], {"case": [0.5, 0.55, 0.6], "other": [2.0]})

    def test_what_cannot_be_compared_is_refused(self):
        for change in (lambda: self.slower([0.5], "another"), lambda: run.read_kept(self.file, "cuda"),
                       lambda: run.read_kept(self.file.parent / "none.json", "cpu")):
            with self.assertRaises(SystemExit) as refused, contextlib.redirect_stdout(io.StringIO()):
                change()
            self.assertIn("fix:", str(refused.exception))

    def test_the_table_shows_the_round_of_the_middle_ratio(self):
        ours, peers = run.middle(rounds([0.6, 0.5, 0.55]))
        self.assertEqual(ours["case"]["seconds"] / peers["case"]["loop"], 0.55)
        self.assertNotIn("alone", peers)


unittest.main()
