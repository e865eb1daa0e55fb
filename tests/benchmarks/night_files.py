"""A night's recordings, made from one simulated session: twelve files with what real nights have in them.

Packets are copied, so two hours are made in seconds; a session that is too short is played again. Between
the sixth and the seventh nobody recorded; the fifth lost its end; the eighth was filmed upside down and says
so in its metadata; the tenth begins before the ninth ends; the third has sound; names have spaces and ñ.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

import av
import numpy as np

FILES = 12
SOUND, BROKEN, GAP_BEFORE, TURNED, OVERLAPS = 2, 4, 6, 7, 9
BEGAN = datetime(2026, 11, 29, 22)
TICK = Fraction(1, 90_000)


@dataclass(frozen=True)
class Night:
    """What was made: the files in order of the clock, the words, and how long it is from end to end."""

    videos: tuple[Path, ...]
    words: Path
    length_s: float
    file_s: float


@dataclass(frozen=True)
class Film:
    """A session's packets from keyframe to keyframe, `whole_s` long."""

    video: Path
    groups: tuple[tuple[Any, ...], ...]
    group_s: float

    @property
    def whole_s(self) -> float:
        return len(self.groups) * self.group_s

    def between(self, start_s: float, stop_s: float) -> Iterator[tuple[float, Any]]:
        """Packets of a stretch, each with where its group begins; played again after its end."""
        for number in range(round(start_s / self.group_s), round(stop_s / self.group_s)):
            begins_s = number * self.group_s - start_s
            for packet in self.groups[number % len(self.groups)]:
                yield begins_s, packet


def film_of(video: Path) -> Film:
    """The packets of a video whose keyframes are equally far apart."""
    groups: list[list[Any]] = []
    with av.open(str(video)) as container:
        for packet in container.demux(video=0):
            if packet.size:
                if packet.is_keyframe:
                    groups.append([])
                groups[-1].append(packet)
    starts = [float(group[0].pts * group[0].time_base) for group in groups]
    step_s = starts[1] - starts[0]
    assert all(abs(at - number * step_s) < 1e-6 for number, at in enumerate(starts)), "uneven keyframes"
    return Film(video, tuple(tuple(group) for group in groups[:-1]), step_s)


def make_night(session: Path, folder: Path, seconds_a_file: float) -> Night:
    """Twelve recordings of a simulated session (`video.mp4`, `announcements.jsonl`) below `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    film = film_of(session / "video.mp4")
    step_s = film.group_s
    length_s = max(2, round(seconds_a_file / step_s)) * step_s
    gap_s = max(2, round(min(60.0, length_s / 2) / step_s)) * step_s
    over_s = max(1, round(min(20.0, length_s / 4) / step_s)) * step_s
    videos = []
    for number in range(FILES):
        starts_s = number * length_s + (gap_s if number >= GAP_BEFORE else 0.0)
        stops_s = starts_s + length_s
        starts_s -= over_s if number == OVERLAPS else 0.0
        stamp = (BEGAN + timedelta(seconds=starts_s)).strftime("%Y-%m-%d_%H-%M-%S")
        path = folder / f"Paño 3 cámara {stamp}{'.mkv' if number == BROKEN else '.mp4'}"
        if not path.exists():
            _write(film, number, (starts_s, stops_s), path)
        videos.append(path)
    whole_s = FILES * length_s + gap_s
    words = folder / "palabras.jsonl"
    words.write_text("".join(_words(session / "announcements.jsonl", film.whole_s, whole_s)), "utf-8")
    return Night(tuple(videos), words, whole_s, length_s)


def _write(film: Film, number: int, span: tuple[float, float], path: Path) -> None:
    part = path.with_name(f"part{path.suffix}")
    if number == TURNED:
        _write_turned(film, span, part)
    else:
        _copy(film, span, part, sound=number == SOUND)
    if number == BROKEN:
        data = part.read_bytes()
        part.write_bytes(data[: len(data) * 19 // 20])
    part.rename(path)


def _copy(film: Film, span: tuple[float, float], path: Path, *, sound: bool) -> None:
    with av.open(str(film.video)) as source, av.open(str(path), "w") as target:
        stream = target.add_stream_from_template(source.streams.video[0])
        stream.time_base = TICK
        silence = target.add_stream("aac", rate=48_000, layout="mono") if sound else None
        for begins_s, packet in film.between(*span):
            first = packet_of_group(film, packet).pts
            moved = av.Packet(bytes(packet))
            moved.stream, moved.time_base, moved.is_keyframe = stream, TICK, packet.is_keyframe
            moved.pts = round(((packet.pts - first) * packet.time_base + Fraction(begins_s)) / TICK)
            moved.dts = round(((packet.dts - first) * packet.time_base + Fraction(begins_s)) / TICK)
            target.mux(moved)
        if silence is not None:
            _silence(target, silence, span[1] - span[0])


def packet_of_group(film: Film, packet: Any) -> Any:
    """The keyframe that a packet's group begins with."""
    at_s = float(packet.pts * packet.time_base)
    return film.groups[int(at_s / film.group_s + 1e-6)][0]


def _silence(target: Any, stream: Any, length_s: float) -> None:
    for begin in range(0, round(length_s * 48_000), 1024):
        frame = av.AudioFrame.from_ndarray(np.zeros((1, 1024), np.float32), format="fltp", layout="mono")
        frame.sample_rate, frame.pts, frame.time_base = 48_000, begin, Fraction(1, 48_000)
        target.mux(stream.encode(frame))
    target.mux(stream.encode(None))


def _write_turned(film: Film, span: tuple[float, float], path: Path) -> None:
    """Filmed upside down, with the metadata that says so."""
    straight = path.with_name("straight.mp4")
    _copy(film, span, straight, sound=False)
    raw = path.with_name("raw.mp4")
    with av.open(str(straight)) as source, av.open(str(raw), "w") as target:
        read = source.streams.video[0]
        stream = target.add_stream(
            "libx264", rate=read.average_rate, options={"crf": "18", "g": "50", "preset": "veryfast"}
        )
        stream.width, stream.height, stream.pix_fmt = read.width, read.height, "yuv420p"
        stream.time_base = stream.codec_context.time_base = TICK
        for picture in source.decode(read):
            turned = np.ascontiguousarray(np.rot90(picture.to_ndarray(format="bgr24"), 2))
            frame = av.VideoFrame.from_ndarray(turned, format="bgr24").reformat(format="yuv420p")
            frame.pts, frame.time_base = round(picture.pts * picture.time_base / TICK), TICK
            target.mux(stream.encode(frame))
        target.mux(stream.encode(None))
    with av.open(str(raw)) as source, av.open(str(path), "w") as target:
        stream = target.add_stream_from_template(source.streams.video[0])
        stream.set_display_rotation(180)
        for packet in source.demux(video=0):
            if packet.dts is not None:
                packet.stream = stream
                target.mux(packet)
    straight.unlink()
    raw.unlink()


def _words(announcements: Path, whole_s: float, until_s: float) -> Iterator[str]:
    """What was said, again each time that the film begins again; the session is opened once."""
    said = [json.loads(line) for line in announcements.read_text("utf-8").splitlines()]
    played, count = 0, 0
    while played * whole_s < until_s:
        for event in said:
            at_s = event["t"] + played * whole_s
            if at_s > until_s or event["t"] > whole_s or (played and event["event"] == "session_opened"):
                continue
            count += 1
            yield json.dumps({**event, "id": count, "t": round(at_s, 3)}, ensure_ascii=False) + "\n"
        played += 1
