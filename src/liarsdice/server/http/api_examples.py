"""An example of the body of each request and response, and who may send it, for the description of the HTTP API."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import msgspec

from liarsdice.analysis.habits import Habit, HabitKind, HabitReport, HabitVerdict, Observation
from liarsdice.analysis.review.facts import MatchFacts
from liarsdice.analysis.review.results import Comparison
from liarsdice.analysis.rules_lab.measures import LabFigures, Measure, MeasureComparison, Measurement
from liarsdice.analysis.skill import Skill
from liarsdice.core.actions import Challenge
from liarsdice.core.records.awards import Award, AwardKind
from liarsdice.core.rules.bids import Bid
from liarsdice.core.rules.choices import Choice
from liarsdice.core.rules.presets import preset
from liarsdice.server.http.auth import TICKET_AGE_S
from liarsdice.server.http.program_api import ActForm, TableViewResponse
from liarsdice.server.http.review_api import ReviewOffer
from liarsdice.server.http.review_work import HabitsForm, ReviewedMatch, ReviewStarted, WhatIfForm, WhatIfProgress
from liarsdice.server.http.rules_lab_work import LabForm, LabOffer, LabProgress
from liarsdice.server.http.schemas import (
    KeyResponse,
    MatchSummary,
    QuickMatchForm,
    SeatForm,
    SeatResponse,
    TableForm,
    TableSummary,
    TicketForm,
    TicketResponse,
)
from liarsdice.server.http.training_estimates import CountEstimate, Estimator, MoveWorth, TrainingResponse
from liarsdice.server.http.web_push import PushKeyResponse
from liarsdice.server.http.webhook_api import WebhookForm, WebhookResponse
from liarsdice.server.protocol.messages import Done, Update
from liarsdice.server.protocol.views import player_view, public_table, table_setup
from liarsdice.server.rules.odds_chart import OddsForm, OddsResponse, odds_response
from liarsdice.server.rules.rules_api import preset_cards, rules_response
from liarsdice.server.rules.schemas import RulesForm, RulesResponse
from liarsdice.server.table.table_config import TableConfig
from liarsdice.server.table.table_state import Player, Stage, TableState

CODE = "KQXM"
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
        ("POST", "/api/rules"): OperationDocs("The rules.", _rules(), RulesForm(rules="perudo")),
        ("POST", "/api/odds"): OperationDocs("The charts.", _odds(), OddsForm(rules="perudo", hand=(1, 4, 4))),
        ("GET", "/api/lobby"): OperationDocs("The tables.", (_summary(),)),
        ("POST", "/api/tables"): OperationDocs(
            "The table and the own seat.",
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
        ("GET", "/api/tables/{code}/qr.svg"): OperationDocs(
            "The picture.", '<svg xmlns="http://www.w3.org/2000/svg" width="33" height="33"/>'
        ),
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
            "The table and the own seat.",
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
            ReviewStarted(MatchFacts(("Ann", "Bo"), preset("perudo").ruleset, (0,), (), ()), 240, "champion", 730),
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
            WhatIfProgress(Comparison(250, 0.31, 0.35, 0.04, 0.02), 1000),
            WhatIfForm(record=RECORD, decision=3, move=Challenge()),
        ),
    }


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
    return TableViewResponse(
        msgspec.to_builtins(msgspec.structs.replace(setup, cells=setup.cells[:2])), msgspec.to_builtins(update)
    )


def _ticket() -> TicketResponse:
    ticket = "0123456789-abcdefghijklmnopqrstuvwxyz_ABCDE"
    return TicketResponse(ticket, f"/t/{CODE}#seat={ticket}", TICKET_AGE_S, "M4 4h1v1h-1z", 33)


def _rules() -> RulesResponse:
    """Return the rules with one section and two fields, because all of them take pages."""
    rules = rules_response(RulesForm(rules="perudo"))
    return msgspec.structs.replace(rules, sections=rules.sections[:1], fields=rules.fields[:2])


def _odds() -> OddsResponse:
    odds = odds_response(OddsForm(rules="perudo", hand=(1, 4, 4)))
    charts = tuple(msgspec.structs.replace(chart, rows=chart.rows[:2]) for chart in odds.charts)
    return msgspec.structs.replace(odds, charts=charts)


def _match_summary() -> MatchSummary:
    award = Award(kind=AwardKind.BOLDEST_LIE, seat=1, round_number=2, count=3, dice=4, bid=Bid(6, 5), p=0.12)
    return MatchSummary((award,), ((5, 5), (4, 5), (4, 0)))


def _training() -> TrainingResponse:
    counts = CountEstimate(1, before=(40, 40, 20), after=(25, 45, 30))
    move = MoveWorth(Challenge(), value=412, played=8, right=37, tells=None)
    return TrainingResponse(1, 17, Estimator.CHAMPION, 63, 71, 22, (counts,), (move,))


def _observation() -> Observation:
    return Observation(0, HabitKind.CHALLENGE, band=2, did=1.0, usual=0.4, cost=0.04)


def _habits() -> HabitReport:
    habit = Habit(HabitKind.CHALLENGE, 2, 12, 0.5, (0.25, 0.75), 0.4, 0.01, 0.02, HabitVerdict.CANNOT_TELL, 0)
    return HabitReport(4, 40, 0.08, 0.03, Skill(4, None, None, 26), (habit,))


def _figures() -> LabFigures:
    comparison = MeasureComparison(Measure.ROUNDS, Measurement(18.2, 0.3))
    return LabFigures("champion", 4, 1000, (comparison,))
