"""What an app is, as JSON values: for whoever judges or draws it without running it."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from thena_contract.fault import Finding
from thena_contract.graph import graph_of
from thena_runtime.app import Thena
from thena_runtime.build.describe import describe
from thena_runtime.build.locate import locate
from thena_runtime.errors import Location

Row = Mapping[str, Any]  # JSON: a wire


def finding_row(finding: Finding, place: Location | None) -> Row:
    """A finding, and the line that it is about."""
    return {
        "code": finding.fault.code,
        "name": finding.fault.name,
        "severity": finding.fault.severity.value,
        "message": finding.fault.message,
        "module": finding.anchor.declaration.module,
        "declaration": finding.anchor.declaration.qualname,
        "label": finding.anchor.label,
        "path": None if place is None else place.path,
        "line": None if place is None else place.line,
    }


def judgement(app: Thena[Any, Any]) -> Row:
    """What start-up found that keeps nothing from running, and how much there is of the app."""
    description = describe(app.workflow)
    places = locate((finding.anchor for finding in app.findings), description.objects)
    return {
        "workflow": app.workflow.__name__,
        "workflows": len(description.workflows),
        "agents": len(description.agents),
        "tools": len(description.tools),
        "findings": [finding_row(finding, places.get(finding.anchor)) for finding in app.findings],
    }


def drawing(app: Thena[Any, Any]) -> Row:
    """The graph of the app's workflow and of those that are nested in it."""
    graph = graph_of(describe(app.workflow).assemblies)
    return {"nodes": [asdict(node) for node in graph.nodes], "edges": [asdict(edge) for edge in graph.edges]}
