"""One test for each code, named after it; they stand in the modules `test_codes_*`."""

import test_codes_play
import test_codes_punto
import test_codes_shoe
import test_codes_table
from veedor.rules.checks import ALL_CODES

TESTS = {
    name: test
    for module in (test_codes_table, test_codes_play, test_codes_punto, test_codes_shoe)
    for name, test in vars(module).items()
    if name.startswith("test_")
}


def test_every_code_has_a_test_named_after_it():
    assert [code for code in ALL_CODES if f"test_{code.lower()}" not in TESTS] == []
