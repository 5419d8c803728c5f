"""The bench of interruptions runs, over real pipes; its figures are not judged here."""

from tengen.bench.interrupt import measure


def test_every_way_to_interrupt_is_measured():
    figures = measure(5, 4, 2, ["threads=1", "memory_mib=8"])
    assert (figures["size"], figures["rounds"]) == ("4x5", 2)
    for way in ("analyze", "genmove", "json"):
        delays = figures[way]
        assert 0 < delays["median_ms"] <= delays["p95_ms"] <= delays["most_ms"]
