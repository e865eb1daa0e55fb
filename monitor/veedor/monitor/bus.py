"""The bus between a table's process and whoever reads: everything a program needs of it, in one import.

docs/bus.md describes the messages; a program in another language needs only them and ZeroMQ.
"""

from __future__ import annotations

from veedor.monitor.bus_board import BoardBridge
from veedor.monitor.bus_client import BusClient
from veedor.monitor.bus_codec import state_from_json, state_to_json
from veedor.monitor.bus_commander import CommandClient, Commander, NoAnswer, Refused
from veedor.monitor.bus_keys import KeyPair, load_keys
from veedor.monitor.bus_messages import (
    EVENT,
    FINDING,
    FRAME,
    HEALTH,
    KINDS,
    PICTURE,
    SCHEMA,
    SNAPSHOT,
    STATE,
    BusFault,
    Header,
    Message,
)
from veedor.monitor.bus_place import BusPlace, bus_folder, find_place, network_place, tables_on
from veedor.monitor.bus_publisher import Answer, BusPublisher, BusSetting, Handler

__all__ = [
    "EVENT",
    "FINDING",
    "FRAME",
    "HEALTH",
    "KINDS",
    "PICTURE",
    "SCHEMA",
    "SNAPSHOT",
    "STATE",
    "Answer",
    "BoardBridge",
    "BusClient",
    "BusFault",
    "BusPlace",
    "BusPublisher",
    "BusSetting",
    "CommandClient",
    "Commander",
    "Handler",
    "Header",
    "KeyPair",
    "Message",
    "NoAnswer",
    "Refused",
    "bus_folder",
    "find_place",
    "load_keys",
    "network_place",
    "state_from_json",
    "state_to_json",
    "tables_on",
]
