import sqlite3
from contextlib import contextmanager
from collections.abc import Iterator


@contextmanager
def connection() -> Iterator[sqlite3.Connection]:
    db = sqlite3.connect(":memory:")
    db.executescript("create table users(id integer primary key, name text); insert into users(name) values ('ann');")
    try:
        yield db
    finally:
        db.close()
