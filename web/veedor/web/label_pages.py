"""Labelling: the list of pictures, one picture's page, and what that asks for and saves."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from http import HTTPStatus
from typing import TypeVar

from starlette.concurrency import run_in_threadpool
from starlette.responses import FileResponse, JSONResponse, RedirectResponse, Response
from veedor.datasets.labelled import LabelError, LabelledPicture
from veedor.monitor.fault_words.telling import message_of
from veedor.monitor.labelling.agreement import agreements_of, by_pair
from veedor.monitor.labelling.revisions import (
    LONGEST_KEY,
    Change,
    LabelFault,
    Revision,
    Stale,
    State,
    names_from_json,
    objects_from_json,
)
from veedor.monitor.labelling.store import Standing
from veedor.monitor.language import Language, with_system_words
from veedor.web.access.people import Role
from veedor.web.label_desk import LabelDesk, Stage, may_give_second, may_see
from veedor.web.label_state import Opinion, other_json, revision_json, scores_json, table_json
from veedor.web.live_pages import Desk
from veedor.web.visits import Refusal, Visit, not_there

LARGEST_LABELS = 1 << 20
LISTED = 200
_STATES = {
    (False, "draft"): State.DRAFT,
    (False, "done"): State.DONE,
    (True, "draft"): State.SECOND_DRAFT,
    (True, "done"): State.SECOND,
}
T = TypeVar("T")


class LabelPages:
    """Handlers of the labelling pages."""

    def __init__(self, desk: Desk, labels: LabelDesk) -> None:
        self._desk = desk
        self._labels = labels

    async def queue(self, visit: Visit) -> Response:
        """What is to be labelled, what is begun and done, and what waits for a second opinion."""
        listed = await self._asked(self._labels.listed)
        await self._desk.saw(visit, "saw label queue", "")
        me = visit.who.name
        shown = visit.request.query_params.get("show", Stage.WAITING.value)
        stages = {stage: [each for each in listed if each.stage is stage] for stage in Stage}
        seconds = [each for each in stages[Stage.DONE] if may_give_second(each.standing, me)]
        chosen = seconds if shown == "second" else stages.get(_stage(shown), [])
        counts = {stage.value: len(found) for stage, found in stages.items()} | {"second": len(seconds)}
        taken = await self._taken([each.about for each in chosen[:LISTED]])
        return self._desk.renderer.page(
            visit,
            "label_queue.html.j2",
            chosen=chosen[:LISTED],
            hidden=max(0, len(chosen) - LISTED),
            counts=counts,
            taken=taken,
            shown=shown if shown == "second" else _stage(shown).value,
            sees=lambda each: may_see(each.standing, me, administrator=_administers(visit)),
            begun=any(each.standing.newest.author == me for each in stages[Stage.BEGUN]),
        )

    async def following(self, visit: Visit) -> Response:
        """On to the next picture: to label, or with `second` to give a second opinion on."""
        asked = visit.request.query_params
        after, me = asked.get("after", ""), visit.who.name
        if asked.get("second"):
            found = await self._asked(lambda: self._labels.following_second(me, after))
            to = f"/label/pictures/{found}/second"
        else:
            found = await self._asked(lambda: self._labels.following(me, after))
            to = f"/label/pictures/{found}"
        return RedirectResponse("/label" if found is None else to, HTTPStatus.SEE_OTHER)

    async def show(self, visit: Visit) -> Response:
        """One picture to label; who is to give a second opinion is led there."""
        standing = await self._standing(visit)
        if not _sees(visit, standing):
            return RedirectResponse(f"/label/pictures/{standing.about.id}/second", HTTPStatus.SEE_OTHER)
        return await self._page(visit, standing, second=False)

    async def second(self, visit: Visit) -> Response:
        """One picture for a second opinion: without a word of the first."""
        standing = await self._standing(visit)
        self._check_second(visit, standing)
        return await self._page(visit, standing, second=True)

    async def _page(self, visit: Visit, standing: Standing, *, second: bool) -> Response:
        about = standing.about
        await self._desk.saw(visit, "saw picture to label", about.id)
        table = await self._asked(lambda: self._labels.table(about))
        base = f"/label/pictures/{about.id}"
        compared = "" if second else visit.request.query_params.get("with", "")
        taken = await self._taken([about])
        return self._desk.renderer.page(
            visit,
            "label_edit.html.j2",
            about=about,
            taken=taken[about.id],
            base=base,
            second=second,
            compared=compared,
            table=table_json(table, visit.language),
            table_name="" if table is None else table.name,
        )

    async def state(self, visit: Visit) -> Response:
        """The newest labels, and the token that the page sends them back with."""
        standing = await self._standing(visit)
        opinion = self._opinion(visit, standing, visit.request.query_params.get("second", ""))
        compared = visit.request.query_params.get("with", "")

        def told() -> dict[str, object]:
            store = self._labels.store
            newest = opinion.newest(store)
            state = revision_json(newest) | {"scores": scores_json(store.proposal(standing.about.id))}
            other = store.finals(standing.about.id).get(compared)
            if other is not None and opinion.second_of is None:
                state["other"] = other_json(newest, other)
            return state

        state = await self._asked(told)
        return JSONResponse(state | {"csrf": visit.csrf, "who": visit.who.name})

    async def save(self, visit: Visit) -> Response:
        """A draft or the finished labels; on disk when it is answered."""
        standing = await self._standing(visit)
        opinion = self._opinion(visit, standing, visit.form.get("second", ""))
        change = self._change(visit, second=opinion.second_of is not None)
        picture = standing.about.id
        try:
            saved = await run_in_threadpool(self._labels.store.save_change, picture, change)
        except Stale as stale:
            fault = {"fault": _said_stale(visit, stale.newest), "newest": revision_json(stale.newest)}
            return JSONResponse(fault, HTTPStatus.CONFLICT)
        except (LabelFault, OSError) as fault:
            raise _not_saved(fault) from fault
        if saved.state.is_final:
            await self._desk.did(
                visit, f"labelled ({saved.state.value})", picture, f"revision {saved.number}"
            )
        else:
            await self._desk.saw(visit, f"labels ({saved.state.value})", picture)
        return JSONResponse(
            {"saved": True, "number": saved.number, "at": saved.at, "state": saved.state.value}
        )

    async def picture(self, visit: Visit) -> Response:
        standing = await self._standing(visit)
        path = await self._asked(lambda: self._labels.store.file_of(standing.about.id))
        if not path.is_file():
            raise not_there()
        return FileResponse(path, media_type="image/png")

    async def small(self, visit: Visit) -> Response:
        standing = await self._standing(visit)
        return Response(
            await self._asked(lambda: self._labels.small(standing.about.id)), media_type="image/jpeg"
        )

    async def agreement(self, visit: Visit) -> Response:
        """How far people agree, by pair and by picture, without what they may not see yet."""
        me, administrator = visit.who.name, _administers(visit)

        def found() -> tuple[list[object], list[tuple[LabelledPicture, object]]]:
            store = self._labels.store
            each_picture: list[tuple[LabelledPicture, object]] = []
            figures = []
            for about in store.pictures():
                standing = store.standing(about.id)
                if standing.seconds and may_see(standing, me, administrator=administrator):
                    agreed = list(agreements_of(store, about.id))
                    figures += agreed
                    each_picture += [(about, each) for each in agreed]
            return list(by_pair(figures)), each_picture

        pairs, pictures = await self._asked(found)
        await self._desk.saw(visit, "saw label agreement", "")
        taken = await self._taken([about for about, _ in pictures])
        return self._desk.renderer.page(
            visit, "label_agreement.html.j2", pairs=pairs, pictures=pictures, taken=taken
        )

    async def _taken(self, pictures: Sequence[LabelledPicture]) -> dict[str, str]:
        """When each picture was taken, by its name."""
        return await self._asked(lambda: {each.id: self._labels.taken(each) for each in pictures})

    async def _standing(self, visit: Visit) -> Standing:
        """The picture that the address names."""
        picture = visit.path("picture")
        store = await self._asked(lambda: self._labels.store)
        if not await self._asked(lambda: store.has(picture)):
            raise not_there()
        return await self._asked(lambda: store.standing(picture))

    def _opinion(self, visit: Visit, standing: Standing, second: str) -> Opinion:
        """Whose labels are asked for, if they may be seen."""
        if second:
            self._check_second(visit, standing)
            return Opinion(standing.about.id, visit.who.name)
        if not _sees(visit, standing):
            raise Refusal(
                HTTPStatus.FORBIDDEN,
                "antes dé su segunda opinión, sin ver la primera",
                "give your second opinion first, without seeing the first",
            )
        return Opinion(standing.about.id)

    def _check_second(self, visit: Visit, standing: Standing) -> None:
        if not may_give_second(standing, visit.who.name):
            raise Refusal(
                HTTPStatus.FORBIDDEN,
                "una segunda opinión es sobre lo que otra persona ha terminado",
                "a second opinion is on what somebody else has finished",
            )

    def _change(self, visit: Visit, *, second: bool) -> Change:
        form = visit.form
        state = _STATES.get((second, form.get("state", "")))
        based_on = form.get("based_on", "")
        if state is None or not re.fullmatch(r"[0-9]{1,9}", based_on):
            raise _malformed("state or based_on")
        if len(form.get("key", "")) > LONGEST_KEY:
            raise _malformed("key")
        try:
            labels = json.loads(form.get("labels", ""))
            if not isinstance(labels, dict):
                raise _malformed("labels")
            objects = objects_from_json(labels.get("objects"))
            checked = names_from_json(labels.get("checked", []))
        except (ValueError, RecursionError):
            raise _malformed("labels") from None
        except LabelError as fault:
            raise _not_saved(fault, HTTPStatus.UNPROCESSABLE_ENTITY) from fault
        return Change(objects, visit.who.name, int(based_on), state, checked, form.get("key", ""))

    async def _asked(self, question: Callable[[], T]) -> T:
        """Something of the store, asked in a thread: the file may be long and the disk slow."""
        try:
            return await run_in_threadpool(question)
        except (LabelFault, LabelError, OSError) as fault:
            raise Refusal(
                HTTPStatus.SERVICE_UNAVAILABLE,
                f"las etiquetas no se pueden leer: {message_of(fault, Language.ES)}",
                f"the labels cannot be read: {fault}",
            ) from fault


def _administers(visit: Visit) -> bool:
    return visit.who.role is Role.ADMINISTRATOR


def _sees(visit: Visit, standing: Standing) -> bool:
    return may_see(standing, visit.who.name, administrator=_administers(visit))


def _stage(asked: str) -> Stage:
    return Stage(asked) if asked in set(Stage) else Stage.WAITING


def _said_stale(visit: Visit, newest: Revision) -> str:
    who, when = newest.author, newest.at[11:19]
    return Refusal(
        HTTPStatus.CONFLICT,
        f"{who} guardó otra cosa a las {when} UTC",
        f"{who} saved something else at {when} UTC",
    ).words(visit.language)


def _malformed(what: str) -> Refusal:
    return Refusal(HTTPStatus.UNPROCESSABLE_ENTITY, f"{what}: mal hecho", f"{what}: malformed")


def _not_saved(fault: Exception, status: HTTPStatus = HTTPStatus.SERVICE_UNAVAILABLE) -> Refusal:
    en = fault.strerror or str(fault) if isinstance(fault, OSError) else str(fault)
    es = with_system_words(en, Language.ES) if isinstance(fault, OSError) else message_of(fault, Language.ES)
    return Refusal(status, f"NO se guardó: {es}", f"NOT saved: {en}")
