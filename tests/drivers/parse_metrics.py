"""Reads a scrape from stdin with the parser of PyPI prometheus_client and prints its families as JSON."""
import json
import sys

from prometheus_client.parser import text_string_to_metric_families

families = {}
seen = set()
for family in text_string_to_metric_families(sys.stdin.read()):
    assert family.name not in families, f"{family.name} comes twice"
    assert family.documentation, f"{family.name} has no help"
    assert family.type in ("counter", "gauge", "histogram"), f"{family.name} is of type {family.type}"
    samples = []
    for sample in family.samples:
        key = (sample.name, tuple(sorted(sample.labels.items())))
        assert key not in seen, f"{key} comes twice"
        seen.add(key)
        samples.append({"name": sample.name, "labels": sample.labels, "value": sample.value})
    families[family.name] = {"type": family.type, "samples": samples}
json.dump(families, sys.stdout)
