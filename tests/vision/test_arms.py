from __future__ import annotations

import numpy as np
from table_scenes import table
from veedor.rules.checker import UNSURE
from veedor.vision.arms import Arm, Arms
from veedor.vision.covering import Cover, Limb


def forearm(fingers_mm: tuple[float, float], elbow_mm: tuple[float, float]) -> Cover:
    start, end = np.array(fingers_mm), np.array(elbow_mm)
    along = (end - start) / np.linalg.norm(end - start)
    across = np.array([-along[1], along[0]]) * 45.0
    length = along * 190.0
    quad = np.array([start - across, start + across, start + across + length, start - across + length])
    return Cover((Limb.of(quad),))


def followed(*looks: tuple[float, Cover]) -> tuple[Arms, Arm]:
    arms = Arms(table().layout)
    for t_s, cover in looks:
        arms.update(t_s, cover)
    (arm,) = arms.at(looks[-1][1].hands[0].middle_mm, looks[-1][0])
    return arms, arm


def seat(number: int) -> tuple[float, float]:
    (person,) = [each for each in Arms(table().layout).people if each.name == f"seat{number}"]
    return float(person.body_mm[0]), float(person.body_mm[1])


def test_a_hand_that_came_over_the_edge_is_whose_place_it_came_from() -> None:
    ways = [(1120.0, 516.0), (940.0, 290.0), (765.0, 70.0), (765.0, 70.0)]
    arms, arm = followed(*((0.16 * number, forearm(way, seat(7))) for number, way in enumerate(ways)))
    owner, share = arms.owner(arm)
    assert owner == "seat7" and share > 0.9


def test_two_hands_taken_for_one_are_nobodys_for_sure() -> None:
    """One rests at the edge for seconds; in the look after it has gone another's lies on the cards."""
    resting = [(0.16 * number, forearm((370.0, 640.0), (600.0, 1200.0))) for number in range(60)]
    arms, arm = followed(
        *resting, (9.9, forearm((765.0, 70.0), seat(7))), (10.06, forearm((765.0, 70.0), seat(7)))
    )
    assert arm.looks > 2
    assert arms.owner(arm)[1] < UNSURE
