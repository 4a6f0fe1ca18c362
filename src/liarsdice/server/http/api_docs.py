"""Renders the description of the HTTP API once, as JSON and as a plain HTML page without scripts of other sites."""

from __future__ import annotations

import asyncio
import dataclasses
import json
from collections.abc import Iterator, Mapping
from functools import cache
from html import escape
from typing import Any

import msgspec
from litestar import Litestar, Request
from litestar.enums import MediaType
from litestar.openapi import OpenAPIConfig
from litestar.openapi.plugins import OpenAPIRenderPlugin
from litestar.openapi.spec import Components, OpenAPI, SecurityScheme
from msgspec.structs import replace

from liarsdice.analysis.habits import Habit, HabitKind, HabitReport, HabitVerdict, HabitWay, Observation, Tip
from liarsdice.analysis.luck import Skill
from liarsdice.analysis.review.decisions import MatchFacts
from liarsdice.analysis.review.results import Comparison
from liarsdice.analysis.rules_lab.measures import LabFigures, Measure, MeasureComparison, Measurement
from liarsdice.core.actions import Challenge
from liarsdice.core.records.awards import Award, AwardKind, Scene
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Choice
from liarsdice.core.rules.presets import preset
from liarsdice.server.groups.group import Coming, Group, Member, SayComing, Season
from liarsdice.server.groups.group_views import GroupPage, door_of, export_of, tally_of, view_of
from liarsdice.server.http.auth import BEARER, COOKIE, SECURE_COOKIE, TICKET_AGE_S
from liarsdice.server.http.error_responses import CODES_OF_STATUS, ERROR_CODES
from liarsdice.server.http.groups import CommandForm, FoundForm, GroupTableForm, KnockForm
from liarsdice.server.http.outgoing import PushKeyResponse, WebhookForm, WebhookResponse
from liarsdice.server.http.program_api import ActForm, TableViewResponse
from liarsdice.server.http.reviews import (
    HabitsForm,
    ReviewedMatch,
    ReviewOffer,
    ReviewStarted,
    WhatIfForm,
    WhatIfProgress,
)
from liarsdice.server.http.rules_lab import LabForm, LabOffer, LabProgress
from liarsdice.server.http.schemas import (
    ErrorResponse,
    KeyResponse,
    MatchSummary,
    QuickMatchForm,
    SeatForm,
    TableForm,
    TicketForm,
    TicketResponse,
)
from liarsdice.server.http.static_files import StaticFile, make_file
from liarsdice.server.http.training import CountEstimate, MoveWorth, TrainingResponse
from liarsdice.server.protocol.messages import Done
from liarsdice.server.protocol.views import player_view, public_table, table_setup
from liarsdice.server.rules.rules_api import (
    OddsForm,
    OddsResponse,
    RulesForm,
    RulesResponse,
    find_games,
    odds_response,
    preset_cards,
    rules_response,
)
from liarsdice.server.table.table_config import TableConfig
from liarsdice.server.table.table_state import Player, TableState
from liarsdice.values.judgement import Source
from liarsdice.wire import SeatResponse, Stage, TableSummary, Update

CODE = "KQXM"
GROUP_CODE = "KQXM7TNHR5"
QR_CODE = '<svg xmlns="http://www.w3.org/2000/svg" width="33" height="33"/>'
RECORD = '{"format":"liarsdice record","version":1}\n'


class Caller(Choice):
    """What an operation does with a token: it ignores it, knows the client by it, or needs that of a player."""

    ANYBODY = "anybody"
    KNOWN = "known"
    PLAYER = "player"


class OperationDocs(msgspec.Struct, frozen=True):
    """What the description says of an operation beside its types.

    `result`: what a successful response is. `response`, `request`: examples of the bodies, None for no body.
    `request_media_type`: that of a body whose type the framework doesn't know, "" if it does.
    """

    result: str
    response: object
    request: object = None
    caller: Caller = Caller.ANYBODY
    request_media_type: str = ""


@cache
def operation_docs() -> Mapping[tuple[str, str], OperationDocs]:
    """Return what the description says of each operation, by its method and path."""
    seat = SeatResponse(CODE, 2)
    return {
        ("GET", "/api/presets"): OperationDocs("The cards.", preset_cards("en")[:2]),
        ("GET", "/api/games"): OperationDocs("The games.", find_games("dinamarca", "en")[:1]),
        ("POST", "/api/rules"): OperationDocs("The rules.", _rules(), RulesForm(rules="perudo")),
        ("POST", "/api/odds"): OperationDocs("The charts.", _odds(), OddsForm(rules="perudo", hand=(1, 4, 4))),
        ("GET", "/api/lobby"): OperationDocs("The tables.", (_summary(),)),
        ("POST", "/api/tables"): OperationDocs(
            "The table and your own seat.",
            SeatResponse(CODE, 1),
            TableForm(name="Ann", rules="perudo", bots=("regular", "champion"), begin=True),
            Caller.KNOWN,
        ),
        ("GET", "/api/tables/{code}"): OperationDocs("The table.", _summary(), caller=Caller.KNOWN),
        ("POST", "/api/tables/{code}/seats"): OperationDocs(
            "The own seat.", seat, SeatForm(name="Bo", request_id="5f0c"), Caller.KNOWN
        ),
        ("POST", "/api/tables/{code}/ticket"): OperationDocs("The link.", _ticket(), caller=Caller.PLAYER),
        ("POST", "/api/tables/{code}/redeem"): OperationDocs(
            "The own seat.", seat, TicketForm(ticket=_ticket().ticket), Caller.KNOWN
        ),
        ("GET", "/api/tables/{code}/qr.svg"): OperationDocs("The picture.", QR_CODE),
        ("GET", "/api/tables/{code}/matches/{number}"): OperationDocs("The record: lines of JSON.", RECORD),
        ("GET", "/api/tables/{code}/matches/{number}/summary"): OperationDocs("The summary.", _match_summary()),
        ("GET", "/api/tables/{code}/training"): OperationDocs("The estimates.", _training(), caller=Caller.PLAYER),
        ("GET", "/api/tables/{code}/view"): OperationDocs(
            "The messages `setting` and `update`.", _table_view(), caller=Caller.KNOWN
        ),
        ("POST", "/api/tables/{code}/act"): OperationDocs(
            "The command is handled and stored.",
            Done("5f0d", 17),
            ActForm("5f0d", {"type": "bid", "quantity": 3, "face": 5}, 4),
            Caller.PLAYER,
        ),
        ("GET", "/api/key"): OperationDocs("The keys.", KeyResponse("3b6a27bcceb6a42d62a3a8d02a6f0d73" * 2)),
        ("GET", "/healthz"): OperationDocs("The process answers.", "ok 748d224b\n"),
        ("GET", "/readyz"): OperationDocs("The database answers.", "ready 748d224b\n"),
        ("GET", "/metrics"): OperationDocs("The metrics.", "liarsdice_commits_total 12.0\n"),
        ("POST", "/api/quick-match"): OperationDocs(
            "The table and your own seat.",
            seat,
            QuickMatchForm(name="Bo", rules="perudo", request_id="5f0c"),
            Caller.KNOWN,
        ),
        ("GET", "/api/push-key"): OperationDocs("The key.", PushKeyResponse("")),
        ("POST", "/api/tables/{code}/webhook"): OperationDocs(
            "The webhook.",
            WebhookResponse("https://bots.example/turns", "3b6a27bcceb6a42d" * 4),
            WebhookForm(url="https://bots.example/turns"),
            Caller.PLAYER,
        ),
        ("POST", "/api/habits"): OperationDocs(
            "The habits of the player, those that cost most first.",
            _habits(),
            HabitsForm(matches=(ReviewedMatch(gain=0.11, costs=(0.0, 0.04), observations=(_observation(),)),)),
            request_media_type="application/json",
        ),
        ("GET", "/api/reviews"): OperationDocs("The offer.", ReviewOffer(offered=True)),
        ("POST", "/api/reviews"): OperationDocs(
            "Lines of JSON: the match, luck and play, each decision, and the players.",
            ReviewStarted(MatchFacts(("Ann", "Bo"), preset("perudo").ruleset, (0,), (), ()), 480, "champion", 730),
            RECORD,
            request_media_type="text/plain",
        ),
        ("GET", "/api/rules-lab"): OperationDocs("The figures, if they are known.", LabOffer(True, _figures())),  # noqa: FBT003  its only flag
        ("POST", "/api/rules-lab"): OperationDocs(
            "Lines of JSON: what the matches so far show.",
            LabProgress(_figures(), 1000),
            LabForm(rules="perudo", changes={"dice.per_player": 6}, seats=4),
        ),
        ("POST", "/api/reviews/what-if"): OperationDocs(
            "Lines of JSON: what is known of both moves so far.",
            WhatIfProgress(Comparison(Source.PLAYOUTS, 480, 0.31, 0.35, 0.04, 0.02), 960),
            WhatIfForm(record=RECORD, decision=3, move=Challenge()),
        ),
        **_group_docs(),
    }


def _group_docs() -> Mapping[tuple[str, str], OperationDocs]:
    """As `operation_docs`, of groups."""
    member, path = Caller.PLAYER, "/api/groups/{code}"
    page, door = _group_page(), GroupPage(None, door_of(_group(), "", 0))
    ticket = replace(_ticket(), path=f"/g/{GROUP_CODE}#device={_ticket().ticket}")
    return {
        ("POST", "/api/groups"): OperationDocs(
            "The group.", page, FoundForm(name="Thursdays", person="Ann", timezone="Europe/Madrid"), Caller.KNOWN
        ),
        ("GET", path): OperationDocs("The group.", page, caller=Caller.KNOWN),
        ("GET", f"{path}/nights"): OperationDocs("The nights, the latest first.", (), caller=member),
        ("POST", f"{path}/knock"): OperationDocs("The group.", door, KnockForm(name="Cleo", face=3), Caller.KNOWN),
        ("POST", f"{path}/withdraw"): OperationDocs("The group.", door, caller=Caller.KNOWN),
        ("POST", f"{path}/do"): OperationDocs("The group.", page, CommandForm(command=SayComing(Coming.YES)), member),
        ("POST", f"{path}/tables"): OperationDocs(
            "The table and your own seat.", SeatResponse(CODE, 1), GroupTableForm(game=1), member
        ),
        ("POST", f"{path}/ticket"): OperationDocs("The link.", ticket, caller=member),
        ("POST", f"{path}/redeem"): OperationDocs("The group.", page, TicketForm(ticket=ticket.ticket), Caller.KNOWN),
        ("GET", f"{path}/qr.svg"): OperationDocs("The picture.", QR_CODE),
        ("GET", f"{path}/export"): OperationDocs("The group.", export_of(_group(), ()), caller=member),
        ("GET", f"{path}/calendar.ics"): OperationDocs("The calendar.", "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n"),
    }


def _group() -> Group:
    people = (Member(id=1, name="Ann", token_hashes=("-",)), Member(id=2, name="Bo", token_hashes=("--",)))
    return Group(
        code=GROUP_CODE,
        name="Thursdays",
        founder=1,
        founded_at_ms=1_790_000_000_000,
        timezone="Europe/Madrid",
        members=people,
        seasons=(Season(1, 1_790_000_000_000),),
    )


def _group_page() -> GroupPage:
    group = _group()
    return GroupPage(view_of(group, tally_of(group, ()), (), group.members[0], group.founded_at_ms), None)


def _summary() -> TableSummary:
    return TableSummary(
        code=CODE,
        title="Ann’s table",
        game="Perudo",
        rules_name="perudo",
        stage=Stage.GATHERING,
        player_names=("Ann", "Bo"),
        seats=6,
        spectators=True,
        hints=False,
        training=False,
        locked=False,
        invite=f"/t/{CODE}?invite=0123456789abcdef",
    )


def _table_view() -> TableViewResponse:
    """Return a table before its first match; the bid chart is cut short."""
    config = TableConfig(title="Ann’s table", ruleset=preset("perudo").ruleset, rules_name="perudo")
    table = TableState(code=CODE, config=config, seq=3, players=(Player(id=1, name="Ann"), Player(id=2, name="Bo")))
    setup = table_setup(table)
    update = Update(table.seq, (), public_table(table, None), player_view(table, 2))
    return TableViewResponse(msgspec.to_builtins(replace(setup, cells=setup.cells[:2])), msgspec.to_builtins(update))


def _ticket() -> TicketResponse:
    ticket = "0123456789-abcdefghijklmnopqrstuvwxyz_ABCDE"
    return TicketResponse(ticket, f"/t/{CODE}#seat={ticket}", TICKET_AGE_S, "M4 4h1v1h-1z", 33)


def _rules() -> RulesResponse:
    """Return the rules with one section and two fields, because all of them take pages."""
    rules = rules_response(RulesForm(rules="perudo"))
    return replace(rules, sections=rules.sections[:1], fields=rules.fields[:2])


def _odds() -> OddsResponse:
    odds = odds_response(OddsForm(rules="perudo", hand=(1, 4, 4)))
    charts = tuple(replace(chart, rows=chart.rows[:2]) for chart in odds.charts)
    return replace(odds, charts=charts)


def _match_summary() -> MatchSummary:
    hands, marked = ((2, 5, 5), (1, 3, 4, 6)), ((1, 2), (0,))
    scene = Scene(bidder=1, caller=None, exact=False, hands=hands, marked=marked, counted=(2, 1))
    award = Award(
        kind=AwardKind.BOLDEST_LIE, seat=1, round_number=2, count=3, dice=4, bid=Bid(6, 5), p=0.12, scene=scene
    )
    return MatchSummary((award,), ((5, 5), (4, 5), (4, 0)))


def _training() -> TrainingResponse:
    counts = CountEstimate(1, before=(40, 40, 20), after=(25, 45, 30))
    move = MoveWorth(Challenge(), value=412, error=31, rank=1, played=8, right=37, tells=None)
    return TrainingResponse(1, 17, Source.PLAYOUTS, 63, 71, 22, (counts,), (move,), None)


def _observation() -> Observation:
    return Observation(0, HabitKind.CHALLENGE, band=2, did=1.0, usual=0.4, cost=0.04)


def _habits() -> HabitReport:
    habit = Habit(
        HabitKind.CHALLENGE, 2, 12, 0.5, (0.25, 0.75), 0.4, 0.01, 0.02, HabitVerdict.CANNOT_TELL, HabitWay.PLAIN, 0
    )
    tip = Tip(HabitKind.CHALLENGE, did=True, decisions=3, cost=0.2)
    return HabitReport(4, 40, 0.08, 0.03, Skill(4, None, None, 26), tip, (habit,))


def _figures() -> LabFigures:
    comparison = MeasureComparison(Measure.ROUNDS, Measurement(18.2, 0.3))
    return LabFigures("champion", 4, 1000, (comparison,))


Schema = dict[str, Any]  # OpenAPI as JSON

COMPONENTS = Components(
    security_schemes={
        "cookie": SecurityScheme(
            type="apiKey",
            security_scheme_in="cookie",
            name=COOKIE,
            description=f"The token that the server gave with the first seat; over HTTPS it is called {SECURE_COOKIE}.",
        ),
        "bearer": SecurityScheme(
            type="http",
            scheme=BEARER,
            description="The token of a program, which it sends instead of a cookie: 32 random bytes in base64,"
            " or one from the operator, with scopes.",
        ),
    }
)
SECURITY: dict[Caller, list[dict[str, list[str]]]] = {
    Caller.ANYBODY: [],
    Caller.KNOWN: [{}, {"cookie": []}, {"bearer": []}],
    Caller.PLAYER: [{"cookie": []}, {"bearer": []}],
}
"""As OpenAPI has it: any of these is enough, and nothing is needed for an empty one."""


class ApiConfig(OpenAPIConfig):
    """Makes a description of the framework's that is complete."""

    def to_openapi_schema(self) -> OpenAPI:
        """Return the frame of the description, to which the framework adds the operations."""
        frame = super().to_openapi_schema()
        return _ApiDescription(**{field.name: getattr(frame, field.name) for field in dataclasses.fields(frame)})


class _ApiDescription(OpenAPI):
    def to_schema(self) -> Schema:
        """Return the description as JSON."""
        schema = super().to_schema()
        for method, path, operation in operations_of(schema):
            _complete(operation, operation_docs()[method, path])
        return schema


def operations_of(schema: Schema) -> Iterator[tuple[str, str, Schema]]:
    """Yield the method, the path and the description of each operation."""
    for path, item in schema["paths"].items():
        for method, operation in item.items():
            if method in ("get", "post"):
                yield method.upper(), path, operation


def _complete(operation: Schema, docs: OperationDocs) -> None:
    operation["security"] = SECURITY[docs.caller]
    if docs.request_media_type:
        body_type = "string" if isinstance(docs.request, str) else "object"
        content = {docs.request_media_type: {"schema": {"type": body_type}}}
        operation["requestBody"] = {"content": content, "required": True}
    for body in operation.get("requestBody", {}).get("content", {}).values():
        body["example"] = msgspec.to_builtins(docs.request)
    for status, response in operation["responses"].items():
        if int(status) in CODES_OF_STATUS:
            _describe_error(response, int(status))
        else:
            response["description"] = docs.result
            for body in response.get("content", {}).values():
                body["example"] = msgspec.to_builtins(docs.response)


def _describe_error(response: Schema, status: int) -> None:
    """Name the codes that responses of a status can have, with an example of each."""
    codes = CODES_OF_STATUS[status]
    for body in response["content"].values():
        only = {"properties": {"code": {"enum": [code.value for code in codes]}}}
        body["schema"] = {"allOf": [body["schema"], only]}
        body["examples"] = {
            code.value: {"value": msgspec.to_builtins(ErrorResponse(code, ERROR_CODES[code].example))} for code in codes
        }


DOCS_PATH = "/docs"
DESCRIPTION_PATH = f"{DOCS_PATH}/openapi.json"


class ApiDocs:
    """The description of an application, which is made when somebody first asks for it."""

    def __init__(self) -> None:
        self._files: dict[str, StaticFile] = {}
        self._lock = asyncio.Lock()

    async def file(self, app: Litestar, path: str) -> StaticFile | None:
        """Return what is served at a path; None for nothing."""
        async with self._lock:
            if not self._files:
                self._files = await asyncio.to_thread(_make_files, app)
        return self._files.get(path)


def _make_files(app: Litestar) -> dict[str, StaticFile]:
    schema = app.openapi_schema.to_schema()
    return {
        DOCS_PATH: make_file(docs_page(schema), "text/html; charset=utf-8"),
        DESCRIPTION_PATH: make_file(msgspec.json.encode(schema), "application/json"),
    }


class PlainDocs(OpenAPIRenderPlugin):
    """Makes the framework describe the API; `app` answers with `ApiDocs` before its handlers are asked."""

    def __init__(self) -> None:
        super().__init__(path="/", media_type=MediaType.HTML)

    def render(self, request: Request[Any, Any, Any], openapi_schema: Schema) -> bytes:  # noqa: ARG002  litestar's shape
        """Return the page as UTF-8."""
        return docs_page(openapi_schema)


def docs_page(openapi_schema: Schema) -> bytes:
    """Return a page that lists every operation with types and examples of its bodies, as UTF-8."""
    info = openapi_schema["info"]
    operations = "\n".join(
        _operation(method, path, operation) for method, path, operation in operations_of(openapi_schema)
    )
    title = f"{escape(info['title'])} {escape(info['version'])}"
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta name="viewport" content="width=device-width, initial-scale=1">\n<title>{title}: API</title>\n'
        f"</head>\n<body>\n<main>\n<h1>{title}: API</h1>\n"
        '<p>The same as JSON: <a href="/docs/openapi.json">openapi.json</a>. A program sends its token in'
        " the header <code>Authorization: Bearer TOKEN</code>. What happens at a table is in its view, and is sent"
        " over the WebSocket <code>/ws/{code}</code>.</p>\n"
        f"{operations}\n</main>\n</body>\n</html>\n"
    ).encode()


def _operation(method: str, path: str, operation: Schema) -> str:
    request_types = operation.get("requestBody", {}).get("content", {})
    response_types: Schema = next(
        (answer.get("content", {}) for status, answer in operation["responses"].items() if status.startswith("2")), {}
    )
    lines = [f"<h2><code>{method.upper()} {escape(path)}</code></h2>"]
    lines += [f"<p>{escape(operation.get('description') or operation.get('summary', ''))}</p>"]
    lines += [f"<p>{_caller(operation)}</p>"] if operation["security"] else []
    lines += [f"<p>Takes {_types(request_types)}.</p>", *_examples(request_types)] if request_types else []
    lines += [f"<p>Gives {_types(response_types)}.</p>", *_examples(response_types)] if response_types else []
    return "\n".join(lines)


def _caller(operation: Schema) -> str:
    if {} in operation["security"]:
        return "Knows the client by its token, if it sends one."
    return "Needs the token of a player."


def _examples(content: Schema) -> list[str]:
    return [
        f"<details><summary>Example</summary><pre>{escape(_text(body['example']))}</pre></details>"
        for body in content.values()
    ]


def _text(example: object) -> str:
    """Return an example as it would be sent, JSON with line breaks."""
    if isinstance(example, str):
        return example
    return json.dumps(example, indent=2, ensure_ascii=False)


def _types(content: Schema) -> str:
    return ", ".join(
        f"<code>{escape(_type_name(body.get('schema', {})))}</code> as {escape(media)}"
        for media, body in content.items()
    )


def _type_name(schema: Schema) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if schema.get("type") == "array":
        return f"list of {_type_name(schema.get('items', {}))}"
    return str(schema.get("type", "text"))
