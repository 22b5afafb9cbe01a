from collections import defaultdict
from collections.abc import Iterable

from kg.ports import NodeId


class DictGraph:
    def __init__(self) -> None:
        self._edges: defaultdict[NodeId, list[tuple[str, NodeId]]] = defaultdict(list)

    def add(self, subject: NodeId, relation: str, object: NodeId) -> None:
        self._edges[subject].append((relation, object))

    def about(self, subject: NodeId) -> Iterable[tuple[str, NodeId]]:
        return self._edges[subject]
