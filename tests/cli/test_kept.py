"""What a session keeps of the answers of models."""

from thena_cli.dev.kept import KeptAnswers, Row


def row(key: str, text: str) -> Row:
    return {"key": key, "text": text}


def told(kept: KeptAnswers, *rows: Row) -> None:
    """A run that tells these answers."""
    kept.begin()
    for each in rows:
        kept.hear(each)


def test_the_answers_of_a_run_are_there_for_the_next() -> None:
    """In order, also several to the same call."""
    kept = KeptAnswers()
    told(kept, row("a", "1"), row("a", "2"), row("b", "3"))
    assert [row("a", "1"), row("a", "2"), row("b", "3")] == kept.begin()


def test_what_a_run_does_not_come_to_stays() -> None:
    """An answer takes the place of the one that was given to the same call as often asked."""
    kept = KeptAnswers()
    told(kept, row("a", "1"), row("a", "2"), row("b", "3"))
    told(kept, row("a", "4"))
    assert [row("b", "3"), row("a", "4"), row("a", "2")] == kept.begin()


def test_what_was_used_longest_ago_goes_first() -> None:
    """There is a bound on the memory of a session."""
    kept = KeptAnswers(limit=3 * len('{"key": "a", "text": "1"}'))
    told(kept, row("a", "1"), row("b", "2"), row("c", "3"))
    told(kept, row("a", "4"), row("d", "5"))
    assert [row("c", "3"), row("a", "4"), row("d", "5")] == kept.begin()
