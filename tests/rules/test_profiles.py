"""Rule profiles: everything cited, everything validated with key, value and range, every copy loadable."""

import re
import tomllib

import pytest
from veedor.rules.errors import ProfileError
from veedor.rules.profile import SHIPPED, load_profile, parse_profile, profiles_folder
from veedor.rules.profile_keys import NUMBERS, READINGS, SWITCHES


def document(name="dos-panos-limitada"):
    return tomllib.loads((profiles_folder() / f"{name}.toml").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", SHIPPED)
def test_every_number_switch_and_reading_is_cited(name):
    profile = load_profile(name)
    present = {key for key in NUMBERS if profile.numbers[key] is not None}
    assert set(profile.citations) == present | set(SWITCHES) | set(READINGS) | {"tableau"}
    assert sorted(READINGS) == sorted(
        [f"C-{n:02}" for n in range(1, 27)] + [f"G-{n:02}" for n in range(1, 19)]
    )


@pytest.mark.parametrize("name", SHIPPED)
def test_defaults_are_the_recommended_readings(name):
    assert load_profile(name).readings == {key: spec.values[0] for key, spec in READINGS.items()}


@pytest.mark.parametrize("name", SHIPPED)
def test_a_changed_copy_loads(name, tmp_path):
    text = (profiles_folder() / f"{name}.toml").read_text(encoding="utf-8")
    text = text.replace(f'id = "{name}"', 'id = "casa"')
    text = re.sub(r"view_limit_s = \{ value = \"\d+\"", 'view_limit_s = { value = "35"', text)
    text = text.replace('"C-01" = { value = "000"', '"C-01" = { value = "002"')
    path = tmp_path / "casa.toml"
    path.write_text(text, encoding="utf-8")
    profile = load_profile(path)
    assert (profile.id, profile.amount("view_limit_s"), profile.reading("C-01")) == ("casa", 35, "002")


@pytest.mark.parametrize("key", sorted(READINGS))
def test_each_reading_takes_its_values_and_no_other(key):
    profile = load_profile("dos-panos-limitada")
    for value in READINGS[key].values:
        assert profile.with_readings({key: value}).reading(key) == value
    with pytest.raises(ProfileError, match=rf"readings\.{key}: expected one of .*, found 'otherwise'"):
        profile.with_readings({key: "otherwise"})


@pytest.mark.parametrize("key", sorted(NUMBERS))
def test_each_number_is_checked_against_its_range(key):
    for value in (-1, 10**12, "many", True):
        changed = document()
        changed["numbers"][key] = {"value": value, "cite": "house"}
        with pytest.raises(ProfileError, match=rf"numbers\.{key}: expected a .*number from .* to .*, found"):
            parse_profile(changed)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.pop("schema"), "schema: expected 1, found None"),
        (lambda d: d.update(family="poker"), "family: expected one of dos-panos, .* found 'poker'"),
        (lambda d: d.update(colour="green"), "colour: not a key of a rule profile"),
        (lambda d: d["numbers"].pop("decks"), "numbers.decks: missing"),
        (lambda d: d["numbers"].update(packs={"value": 1, "cite": "x"}), "numbers.packs: not a key"),
        (lambda d: d["numbers"].update(decks=6), "numbers.decks: expected a value and its cite"),
        (lambda d: d["numbers"].update(decks={"value": 6}), "numbers.decks.cite: expected text"),
        (lambda d: d["switches"].pop("suite"), "switches.suite: expected true or false"),
        (lambda d: d["readings"].pop("C-07"), "readings.C-07: missing, expected one of 001"),
        (lambda d: d["tableau"].update(rows=["T"]), "tableau.rows: expected 8 rows, found 1"),
        (lambda d: d["tableau"]["rows"].__setitem__(3, "TTX"), r"tableau.rows\[3\]: expected 11 letters"),
        (lambda d: d["name"].pop("es"), "name.es: expected text"),
    ],
)
def test_what_is_wrong_is_named(change, message):
    changed = document()
    change(changed)
    with pytest.raises(ProfileError, match=message):
        parse_profile(changed)


def test_unknown_profiles_are_one_line(tmp_path):
    with pytest.raises(ProfileError, match="expected one of dos-panos-limitada"):
        load_profile("dos-panos")
    with pytest.raises(ProfileError, match=r"none\.toml: No such file"):
        load_profile(tmp_path / "none.toml")
    bad = tmp_path / "bad.toml"
    bad.write_text("id = ", encoding="utf-8")
    with pytest.raises(ProfileError, match=r"bad\.toml: not TOML"):
        load_profile(bad)


def test_the_file_that_names_a_profile_is_named(tmp_path):
    for wanted in ("poker", "", str(tmp_path), str(tmp_path / "none.toml")):
        with pytest.raises(ProfileError, match=r"^mesa\.toml: "):
            load_profile(wanted, named_in="mesa.toml")
    with pytest.raises(ProfileError, match=r"profile: expected one of dos-panos-limitada.* found ''"):
        load_profile("")


def test_config_changes_limits_and_nothing_else():
    profile = load_profile("dos-panos-limitada").with_config({"unit": 5, "bet_min": 10, "bank": 300})
    assert (profile.amount("unit"), profile.limit("bet_min")) == (5, 10)
    for bank in (-1, "much", "nan", True):
        with pytest.raises(ProfileError, match=r"config\.bank: expected a number from 0 to"):
            profile.with_config({"bank": bank})
    with pytest.raises(ProfileError, match=r"config\.decks: expected one of unit, bank"):
        profile.with_config({"decks": 4})


def test_a_number_of_thousands_of_digits_is_one_line(tmp_path):
    path = tmp_path / "long.toml"
    path.write_text("schema = " + "9" * 5000)
    with pytest.raises(ProfileError, match=r"long\.toml: not TOML"):
        load_profile(path)
