"""The record that times the rules is clean play, and the checker does not grow over it."""

from veedor.monitor.benchmarks_rules import bench_rules


def test_bench_rules_finds_nothing_and_holds_its_memory():
    figures = bench_rules(timed=3000, measured=6000)
    assert figures["findings"] == 0
    assert figures["events_per_s"] > 0
    assert figures["memory_events"] == 6000
    assert figures["peak_growth_kib"] < 4096
    assert abs(figures["blocks_at_the_end"] - figures["blocks_after_a_tenth"]) < 2000
