"""An evidence bundle is one file of which no byte can be another without being found and named."""

from __future__ import annotations

import json
import random
import struct
import zipfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest
from recorded_nights import a_session
from veedor.monitor import cli
from veedor.monitor.evidence_bundle import make_bundle
from veedor.monitor.evidence_bundle_check import Verdict, check_bundle
from veedor.monitor.evidence_bundle_file import NotABundle
from veedor.monitor.evidence_bundle_keys import key_of, make_key, open_key
from veedor.monitor.evidence_bundle_manifest import encode_manifest
from veedor.monitor.evidence_bundle_verify import verify_all
from veedor.monitor.evidence_bundle_zip import (
    directory_entry,
    local_header,
    member_of,
    offsets,
    pack,
)
from veedor.monitor.report_record_files import open_record
from veedor.rules.profile import profiles_folder

FLIPS = 1000


def checked(content: bytes, folder: Path) -> Verdict:
    path = folder / "one.zip"
    path.write_bytes(content)
    return check_bundle(path)


def contents(bundle: bytes, folder: Path) -> list[tuple[str, bytes]]:
    path = folder / "read.zip"
    path.write_bytes(bundle)
    with zipfile.ZipFile(path) as read:
        return [(each.filename, read.read(each)) for each in read.infolist()]


def parts_of(files: list[tuple[str, bytes]]) -> list[tuple[int, str]]:
    """Where each part of a bundle begins, by the names that damage is told under."""
    members = [member_of(*each) for each in files]
    *places, directory_at = offsets(members)
    found = []
    for member, place in zip(members, places, strict=True):
        found += [(place, f"header of {member.name}"), (place + len(local_header(member)), member.name)]
    at = directory_at
    for member, place in zip(members, places, strict=True):
        found.append((at, f"directory entry of {member.name}"))
        at += len(directory_entry(member, place))
    return [*found, (at, "end of the zip")]


def test_a_bundle_is_whole_and_any_zip_program_reads_it(bundle: bytes, tmp_path: Path) -> None:
    verdict = checked(bundle, tmp_path)
    assert verdict.whole and verdict.manifest is not None
    names = [name for name, _ in contents(bundle, tmp_path)]
    assert names[:4] == ["manifest.json", "manifest.sig", "README.txt", "public-key.pem"]
    assert set(names[4:]) == {
        "finding.json", "findings.jsonl", "decisions.jsonl", "journal.jsonl", "journal-chain.txt",
        "made-by.json", "profile.toml", "page.html", "still.jpg", "clip.mp4",
    }  # fmt: skip
    with zipfile.ZipFile(tmp_path / "one.zip") as read:
        assert read.testzip() is None


def test_it_holds_what_the_finding_rests_on(bundle: bytes, session: str, tmp_path: Path) -> None:
    files = dict(contents(bundle, tmp_path))
    told = json.loads(files["finding.json"])
    assert told["session"] == session and told["moment"].startswith("2026-03-01T21:0")
    for language in ("es", "en"):
        assert told["rule"][language]["rule"] and told["texts"][language]["remedy"]
    assert told["rule"]["source"] and told["rule"]["citation"]
    assert json.loads(files["decisions.jsonl"])["who"] == "ana"
    events = [json.loads(line) for line in files["journal.jsonl"].splitlines()]
    assert events[0]["event"] == "session_opened"
    assert {each.get("coup") for each in events if each["event"] == "coup_opened"} == {1}
    assert set(told["finding"]["events"]) <= {each["id"] for each in events}
    made = json.loads(files["made-by.json"])
    assert made["judged_by"]["models_sha256"] == {"reader": "ab" * 32}
    manifest = json.loads(files["manifest.json"])
    assert manifest["missing"] == {"table": "none"}
    assert b"data:image/jpeg;base64," in files["page.html"] and b'src="clip.mp4"' in files["page.html"]


def test_the_same_record_gives_the_same_bytes(bundle: bytes, data: Path, session: str) -> None:
    assert make_bundle(open_record(session, data), 1, open_key(data)) == bundle


def test_a_thousand_changed_bytes_are_all_found_and_named(bundle: bytes, tmp_path: Path) -> None:
    parts = parts_of(contents(bundle, tmp_path))
    dice = random.Random(6)
    places = [dice.randrange(len(bundle)) for _ in range(FLIPS)]
    # Most of a bundle is pictures: what holds it together is tried byte by byte as well.
    structure = [at for start, name in parts if " of " in name for at in range(start, start + 46)]
    structure = [at for at in structure if at < len(bundle)]
    for place in places + dice.sample(structure, FLIPS):
        damaged = bytearray(bundle)
        damaged[place] ^= dice.randrange(1, 256)
        verdict = checked(bytes(damaged), tmp_path)
        hit = [name for start, name in parts if start <= place][-1]
        assert [each.part for each in verdict.damage] == [hit], (place, hit)


def test_a_cut_at_every_length_is_found(bundle: bytes, tmp_path: Path) -> None:
    dice = random.Random(7)
    lengths = [len(bundle) - each for each in range(1, 60)] + [
        dice.randrange(60, len(bundle)) for _ in range(200)
    ]
    for length in lengths:
        assert checked(bundle[:length], tmp_path).damage, length


@pytest.mark.parametrize("length", [0, 1, 3, 30, 42])
def test_what_is_hardly_there_is_no_bundle_or_a_damaged_one(
    bundle: bytes, length: int, tmp_path: Path
) -> None:
    try:
        assert checked(bundle[:length], tmp_path).damage
    except NotABundle as fault:
        assert str(tmp_path) in str(fault)


def test_bytes_put_in_and_left_out_are_named_where_they_are(bundle: bytes, tmp_path: Path) -> None:
    parts = {name: start for start, name in parts_of(contents(bundle, tmp_path))}
    clip, page = parts["clip.mp4"], parts["page.html"]
    longer = checked(bundle[: page + 9] + b"xyz" + bundle[page + 9 :], tmp_path)
    assert [(each.part, each.what) for each in longer.damage] == [("page.html", "3 bytes too many")]
    shorter = checked(bundle[: clip + 5] + bundle[clip + 12 :], tmp_path)
    assert [(each.part, each.what) for each in shorter.damage] == [("clip.mp4", "7 bytes missing")]
    behind = checked(bundle + b"\0", tmp_path)
    assert [(each.part, each.what) for each in behind.damage] == [("behind the end", "1 bytes too many")]


def repacked(change: Callable[[dict[str, bytes]], None], bundle: bytes, folder: Path) -> bytes:
    files = dict(contents(bundle, folder))
    change(files)
    return pack(list(files.items()))


def test_members_changed_swapped_added_or_left_out_are_found(bundle: bytes, tmp_path: Path) -> None:
    def swap(files: dict[str, bytes]) -> None:
        files["still.jpg"], files["clip.mp4"] = files["clip.mp4"], files["still.jpg"]

    def leave_out(files: dict[str, bytes]) -> None:
        del files["decisions.jsonl"]

    def add(files: dict[str, bytes]) -> None:
        files["../../etc/passwd"] = b"root"

    def edit(files: dict[str, bytes]) -> None:
        files["decisions.jsonl"] = files["decisions.jsonl"].replace(b"accept", b"dismis")

    for change, part in ((swap, "still.jpg"), (leave_out, "decisions.jsonl"), (edit, "decisions.jsonl")):
        damage = [each.part for each in checked(repacked(change, bundle, tmp_path), tmp_path).damage]
        assert part in damage, change
    assert not checked(repacked(add, bundle, tmp_path), tmp_path).whole


def test_another_way_of_packing_the_same_files_is_found(bundle: bytes, tmp_path: Path) -> None:
    files = contents(bundle, tmp_path)
    path = tmp_path / "packed.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in files:
            packed.writestr(name, content)
    assert not check_bundle(path).whole
    with zipfile.ZipFile(path, "w") as packed:
        packed.comment = b"hello"
        for name, content in files:
            packed.writestr(zipfile.ZipInfo(name), content)
    assert not check_bundle(path).whole


def signed(manifest: dict, bundle: bytes, data: Path, folder: Path) -> bytes:
    """The bundle with another manifest, signed by the installation's own key."""
    files = dict(contents(bundle, folder))
    files["manifest.json"] = encode_manifest(manifest)
    files["manifest.sig"] = open_key(data).sign(files["manifest.json"])
    return pack(list(files.items()))


@pytest.mark.parametrize(
    "name", ["../../evil.txt", "/etc/passwd", "a/b.txt", "clip.mp4", "CLIP.MP4", "manifest.json", "x" * 4000]
)
def test_a_signed_manifest_with_bad_names_is_refused(
    name: str, bundle: bytes, data: Path, tmp_path: Path
) -> None:
    manifest = json.loads(dict(contents(bundle, tmp_path))["manifest.json"])
    manifest["members"][0]["name"] = name
    verdict = checked(signed(manifest, bundle, data, tmp_path), tmp_path)
    assert [each.part for each in verdict.damage] == ["manifest.json"]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda told: told["members"][3].update(bytes=1 << 40),
        lambda told: told["members"][3].update(bytes=-1),
        lambda told: told["members"][3].update(bytes=True),
        lambda told: told["members"].extend(dict(told["members"][0], name=f"a{n}.txt") for n in range(500)),
        lambda told: told.update(schema=2),
        lambda told: told.update(kind="other"),
        lambda told: told.pop("journal"),
        lambda told: told["journal"].update(included=[[5, 1]]),
        lambda told: told["journal"].update(included=[[1, 10**12]]),
        lambda told: told["journal"].update(included="all"),
        lambda told: told.update(members=None),
        lambda told: told.update(signed_by=[]),
    ],
)  # fmt: skip
def test_a_signed_manifest_of_another_shape_is_refused(
    spoil: Callable[[dict], object], bundle: bytes, data: Path, tmp_path: Path
) -> None:
    manifest = json.loads(dict(contents(bundle, tmp_path))["manifest.json"])
    spoil(manifest)
    verdict = checked(signed(manifest, bundle, data, tmp_path), tmp_path)
    assert verdict.damage and verdict.damage[0].part == "manifest.json"


def test_a_huge_or_deep_manifest_costs_nothing(bundle: bytes, data: Path, tmp_path: Path) -> None:
    for content in (b" " * (3 << 20), b"[" * 100_000, b'{"kind": ' * 50_000):
        files = dict(contents(bundle, tmp_path))
        files["manifest.json"] = content
        files["manifest.sig"] = open_key(data).sign(content)
        assert checked(pack(list(files.items())), tmp_path).damage
    manifest = json.loads(dict(contents(bundle, tmp_path))["manifest.json"])
    manifest["journal"] |= {"lines": 10**9, "included": [[1, 10**9]]}
    damage = checked(signed(manifest, bundle, data, tmp_path), tmp_path).damage
    assert [each.part for each in damage] == ["journal.jsonl"]
    lying = bytearray(bundle)
    struct.pack_into("<II", lying, 18, 0xFFFFFFFE, 0xFFFFFFFE)
    assert checked(bytes(lying), tmp_path).damage


def test_a_line_of_the_journal_left_out_or_moved_is_found_even_if_signed(
    bundle: bytes, data: Path, tmp_path: Path
) -> None:
    files = dict(contents(bundle, tmp_path))
    lines = files["journal.jsonl"].splitlines(keepends=True)
    for changed in (
        lines[:5] + lines[6:],
        [*lines[:5], lines[6], lines[5], *lines[7:]],
        [*lines[:-1], b"{}\n"],
    ):
        again = dict(files) | {"journal.jsonl": b"".join(changed)}
        manifest = json.loads(files["manifest.json"])
        for each in manifest["members"]:
            member = member_of(each["name"], again[each["name"]])
            each |= {
                "bytes": member.size,
                "crc32": member.crc32,
                "sha256": sha256(again[member.name]).hexdigest(),
            }
        again["manifest.json"] = encode_manifest(manifest)
        again["manifest.sig"] = open_key(data).sign(again["manifest.json"])
        damage = checked(pack(list(again.items())), tmp_path).damage
        assert [each.part for each in damage] == ["journal.jsonl"]


def test_a_bundle_signed_with_anothers_key_is_whole_but_not_what_was_expected(
    data: Path, session: str, bundle: bytes, tmp_path: Path
) -> None:
    other = make_key(tmp_path / "other")
    path = tmp_path / "forged.zip"
    path.write_bytes(make_bundle(open_record(session, data), 1, other))
    (plain,) = verify_all([path], None)
    assert plain.holds and plain.pinned is None and any("NOT compared" in line for line in plain.lines())
    (pinned,) = verify_all([path], open_key(data).signer.fingerprint)
    assert not pinned.holds and pinned.pinned is False
    # The right key's name put into a forged manifest does not help.
    files = dict(contents(path.read_bytes(), tmp_path))
    manifest = json.loads(files["manifest.json"])
    manifest["signed_by"]["public_key"] = open_key(data).signer.hex
    files["manifest.json"] = encode_manifest(manifest)
    files["manifest.sig"] = other.sign(files["manifest.json"])
    assert [each.part for each in checked(pack(list(files.items())), tmp_path).damage] == ["manifest.sig"]


def test_two_bundles_of_one_night_show_a_journal_that_was_changed_between(tmp_path: Path) -> None:
    data = tmp_path / "data"
    session = a_session(data)
    paths = [tmp_path / "first.zip", tmp_path / "second.zip"]
    paths[0].write_bytes(make_bundle(open_record(session, data), 1, key_of(data)))
    journal = data / "tables" / session / "journal.jsonl"
    lines = journal.read_text("utf-8").splitlines(keepends=True)
    with journal.open("a", encoding="utf-8") as file:
        file.write(lines[-1].replace(f'"id": {len(lines)}', f'"id": {len(lines) + 1}'))
    paths[1].write_bytes(make_bundle(open_record(session, data), 1, key_of(data)))
    assert all(each.holds for each in verify_all(paths, None))  # it only grew
    lines[6] = lines[6].replace("seat", "SEAT") if "seat" in lines[6] else lines[6].replace('"t"', '"t" ')
    journal.write_text("".join(lines), "utf-8")
    paths[1].write_bytes(make_bundle(open_record(session, data), 1, key_of(data)))
    first, second = verify_all(paths, None)
    assert first.holds and not second.holds and "from line 7 on" in second.parted[0]


def test_evidence_that_is_not_what_was_made_is_not_signed(tmp_path: Path) -> None:
    data = tmp_path / "data"
    session = a_session(data)
    folder = next((data / "tables" / session / "evidence").iterdir())
    about = json.loads((folder / "finding.json").read_text("utf-8"))
    about["clip"]["sha256"] = "0" * 64
    (folder / "finding.json").write_text(json.dumps(about), "utf-8")
    with pytest.raises(Exception, match=r"clip\.mp4: not the file"):
        make_bundle(open_record(session, data), about["number"], key_of(data))


def test_the_profile_that_a_session_has_kept_is_the_one_that_goes_in(tmp_path: Path) -> None:
    data = tmp_path / "data"
    session = a_session(data)
    shipped = (profiles_folder() / "dos-panos-limitada.toml").read_bytes()
    kept = data / "tables" / session / "profile.toml"
    kept.write_bytes(shipped + b"# as it was that night\n")
    files = dict(contents(make_bundle(open_record(session, data), 1, key_of(data)), tmp_path))
    assert files["profile.toml"] == kept.read_bytes()
    assert json.loads(files["manifest.json"])["notes"] == []
    made = {
        "version": "0.1.0", "code": "", "models": {}, "profile": "dos-panos-limitada", "inputs": {},
        "profile_sha256": sha256(shipped).hexdigest(), "of": None,
    }  # fmt: skip
    (kept.parent / "made_by.json").write_text(json.dumps(made), "utf-8")
    files = dict(contents(make_bundle(open_record(session, data), 1, key_of(data)), tmp_path))
    assert json.loads(files["manifest.json"])["notes"] == ["profile-changed"]


def test_a_stranger_who_signs_what_is_no_text_gets_a_line(
    bundle: bytes, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = dict(contents(bundle, tmp_path))
    manifest = json.loads(files["manifest.json"])
    rows = files["journal-chain.txt"].rstrip(b"\n") + b" \xff\xfe\n"
    again = dict(files) | {"journal-chain.txt": rows}
    for each in manifest["members"]:
        member = member_of(each["name"], again[each["name"]])
        digest = sha256(again[member.name]).hexdigest()
        each |= {"bytes": member.size, "crc32": member.crc32, "sha256": digest}
    again["manifest.json"] = encode_manifest(manifest)
    again["manifest.sig"] = open_key(data).sign(again["manifest.json"])
    assert checked(pack(list(again.items())), tmp_path).damage
    for half in (b'"\\ud800"', b"NaN"):
        told = files["manifest.json"].replace(b'"table": "', b'"moment": ' + half + b', "other": "', 1)
        told = told.replace(b'"moment": null,', b"").replace(b'"moment": "2026', b'"then": "2026')
        forged = dict(files) | {"manifest.json": told, "manifest.sig": open_key(data).sign(told)}
        path = tmp_path / "forged.zip"
        path.write_bytes(pack(list(forged.items())))
        assert cli.main(["evidence", "verify", str(path), "--json"]) == 1
        shown = json.loads(capsys.readouterr().out)
        assert shown["damage"][0]["part"] == "manifest.json"
