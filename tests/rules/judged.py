"""What a record of the tests must be found to be."""


def only(record, code, actor, verdict="broken"):
    """Asserts that the record has this one finding and returns it."""
    found = record.findings()
    assert [(one.code, str(one.verdict), one.actor) for one in found] == [(code, verdict, actor)], found
    for lang in ("es", "en"):
        texts = (found[0].expected(lang), found[0].found(lang), found[0].remedy(lang))
        assert all(texts) and not any("{" in text for text in texts), texts
        assert verdict == "undecided" or not any("—" in text for text in texts), texts
    return found[0]


def clean(record):
    assert record.findings() == []
