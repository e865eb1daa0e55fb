"""The exported detector without its last steps, which are done for the likely boxes alone.

`veedor.vision.detector_output` does them; see there for the rows.
"""

from __future__ import annotations

from typing import Any

from veedor.vision.detector_output import ROWS

OUTPUT = "output0"


def cut_decoding(model: Any) -> None:
    """Let an exported network (an ONNX model) put out what its head says, in place of boxes."""
    from onnx import helper

    graph = model.graph
    made_by = {name: node for node in graph.node for name in node.output}
    _, scores, turns = made_by[OUTPUT].input  # boxes, scores, turns are put together last
    (bins,) = (node for node in graph.node if node.name.endswith("/dfl/Reshape"))
    graph.node.remove(made_by[OUTPUT])
    graph.node.append(helper.make_node("Concat", [bins.input[0], scores, turns], [OUTPUT], axis=1))
    _prune(graph)
    graph.output[0].type.tensor_type.shape.dim[1].dim_value = ROWS


def _prune(graph: Any) -> None:
    """Take out what nothing needs any more."""
    made_by = {name: node for node in graph.node for name in node.output}
    needed, waiting = set(), [OUTPUT]
    while waiting:
        name = waiting.pop()
        if name in needed:
            continue
        needed.add(name)
        if name in made_by:
            waiting += made_by[name].input
    for node in [node for node in graph.node if not needed & set(node.output)]:
        graph.node.remove(node)
    for kept in [each for each in graph.initializer if each.name not in needed]:
        graph.initializer.remove(kept)
    for info in [each for each in graph.value_info if each.name not in needed]:
        graph.value_info.remove(info)
