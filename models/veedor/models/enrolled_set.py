"""Tables with their chip set enrolled as a casino does it, on chips that are not the ones measured."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from veedor.models.evaluation import read_picture
from veedor.models.labels import ChipLabel, LabelledPicture, LabelledSet
from veedor.vision.chip_enrolment import (
    EnrolmentError,
    Measured,
    Pointed,
    chip_of,
    enrolled,
    measure_chip,
    with_felt,
)
from veedor.vision.table import ChipType, Table


def with_enrolled_chips(labelled: LabelledSet) -> LabelledSet:
    """The set with its chips enrolled on the stacks before players and in the bank, which are no stakes."""
    looks = [_looks(picture) for picture in labelled.pictures]
    pictures = []
    for picture in labelled.pictures:
        if picture.table is None:
            pictures.append(picture)
            continue
        chips = []
        for given in picture.table.chips:
            # The picture's own and the others' together: of single stakes 43 of 52 are named rightly by what
            # all show, 35 by four of the picture's own.
            measured = [each for look in looks for each in look.get(given.name, [])]
            chips.append(_sized(chip_of(measured), given) if measured else given)
        table = enrolled(picture.table, chips, only=True)
        pictures.append(replace(picture, table=table))
    return replace(labelled, pictures=tuple(pictures))


def _looks(picture: LabelledPicture) -> Mapping[str, list[Measured]]:
    """What is measured of the chips that are no stakes, by the name of the top one."""
    found: dict[str, list[Measured]] = defaultdict(list)
    if picture.table is None or picture.table.camera is None:
        return found
    image = read_picture(picture)
    table = with_felt(replace(picture.table, chips=()), image)
    for label in picture.chips:
        if label.stake is not None or not label.visible or not label.values or label.base_mm is None:
            continue
        try:
            measured = measure_chip(table, image, _pointed(label, table))
        except EnrolmentError:
            continue
        found[measured.pointed.name].append(measured)
    return found


def _pointed(label: ChipLabel, table: Table) -> Pointed:
    assert label.values is not None and label.base_mm is not None and table.camera is not None
    count = len(label.values)
    top = np.array([[*label.base_mm, ChipType.thickness_mm * count]])
    x, y = table.camera.project(top)[0]
    value = label.values[-1]
    return Pointed(float(x), float(y), str(value), value, "plaque" if label.plaque else "round", count)


def _sized(chip: ChipType, given: ChipType) -> ChipType:
    """Sizes are what the table file says: they are told from a rule, not from pictures."""
    return replace(chip, diameter_mm=given.diameter_mm, size_mm=given.size_mm)
