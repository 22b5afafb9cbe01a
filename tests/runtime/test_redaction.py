"""Secrets are masked in texts and in structures, and nothing else is."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from thena_runtime.redaction import redact, redact_text

JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N"
SECRETS = {
    "Authorization: Bearer abcdef1234567890": "Authorization: Bearer [REDACTED]",
    "send Basic dXNlcjpwYXNzd29yZA== with it": "send Basic [REDACTED] with it",
    "the key sk-proj-abcdefghijklmnop1234": "the key sk-proj-[REDACTED]",
    "ghp_abcdefghijklmnop1234": "ghp_[REDACTED]",
    "github_pat_11ABCDEFG0abcdefghijk": "github_pat_[REDACTED]",
    "xoxb-1234567890-abcdef": "xoxb-[REDACTED]",
    "AKIAIOSFODNN7EXAMPLE is the id": "[REDACTED] is the id",
    "postgres://ada:s3cret@host/db": "postgres://ada:[REDACTED]@host/db",
    "redis://:pw@host:6379": "redis://:[REDACTED]@host:6379",
    f"a token {JWT}.": "a token [REDACTED].",
    '{"api_key": "abcd1234"}': '{"api_key": "[REDACTED]"}',
    '{"apiKey":"abcd1234"}': '{"apiKey":"[REDACTED]"}',
    '{"secret": "abcd1234"}': '{"secret": "[REDACTED]"}',
    '{"password": "hunter22"}': '{"password": "[REDACTED]"}',
    '{"senha": "hunter22"}': '{"senha": "[REDACTED]"}',
    '{"token": "abcd1234"}': '{"token": "[REDACTED]"}',
    "DB_PASSWORD=hunter22 aws_secret_access_key = a/b+c": "DB_PASSWORD=[REDACTED] aws_secret_access_key = [REDACTED]",
    "Set-Cookie: sid=abc; Path=/": "Set-Cookie: [REDACTED]",
    "GET /?access_token=abcdefgh&page=1": "GET /?access_token=[REDACTED]&page=1",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----": "[REDACTED]",
    json.dumps({"body": json.dumps({"clientSecret": "zzzz9999"})}): r'{"body": "{\"clientSecret\": \"[REDACTED]\"}"}',
}
PROSE = (
    "Basic understanding of bearer instruments is needed.",
    "It takes 4096 tokens; max_tokens: 4096, and the token: none.",
    "def login(password: str, token: string) -> None: ...",
    "See https://user@host/a:b@c and sk-learn-based-pipelines, a risk-adjusted-return-of-2024.",
    "The keyboard's secret is that there is no secret.",
)


@pytest.mark.behaviour("T308", "T309", "T310", "T311", "T312", "T313", "T314", "T315", "T316")
@pytest.mark.behaviour("T317", "T318", "T319", "T320", "T321")
@pytest.mark.parametrize("text", SECRETS)
def test_what_has_the_form_of_a_secret_is_masked(text: str) -> None:
    """Keys, tokens, passwords in URLs, headers and JSON, JSON in JSON included; what tells their kind stays."""
    assert SECRETS[text] == redact_text("content", text)


@pytest.mark.behaviour("T322")
@pytest.mark.parametrize("text", PROSE)
def test_ordinary_text_stays_as_it_is(text: str) -> None:
    """Words that also stand before secrets mask nothing by themselves."""
    assert text == redact_text("content", text)


@pytest.mark.behaviour("T323")
@given(
    st.lists(st.sampled_from([*SECRETS, *PROSE, " ", "token=", "Bearer ", "[REDACTED]", '"', "\\", "://"])).map("".join)
)
def test_masking_twice_is_masking_once(text: str) -> None:
    """What was masked has nothing left to mask, however texts stand together."""
    once = redact_text("content", text)
    assert once == redact_text("content", once)


@pytest.mark.behaviour("W46")
def test_a_structure_is_masked_by_the_names_in_it() -> None:
    """Below a secret's name all texts and long numbers are masked, of whatever form; other values and keys stay."""
    value = {
        "dbPassword": "x",
        "secret": {"parts": ["a", 123456, 1, None, True]},
        "headers": [{"Authorization": "Bearer abcdef123456", "Accept": "text/html"}],
        "prompt_tokens": 123456,
        "token": "",
        "https://ada:s3cret@host": "y",
    }
    expected = {
        "dbPassword": "[REDACTED]",
        "secret": {"parts": ["[REDACTED]", "[REDACTED]", 1, None, True]},
        "headers": [{"Authorization": "Bearer [REDACTED]", "Accept": "text/html"}],
        "prompt_tokens": 123456,
        "token": "",
        "https://ada:[REDACTED]@host": "y",
    }
    assert expected == redact(value)


def test_a_long_text_in_which_secrets_nearly_begin_takes_no_longer_than_others() -> None:
    """Beginnings of secrets by the hundred thousand, without one that is whole, are passed over one by one."""
    for beginning in ("://", "bearer ", "sk-", "eyJ-", "-----BEGIN PRIVATE KEY", "token=", "basic ", "cookie:"):
        text = beginning * 100_000
        assert len(redact_text("content", text)) >= len("[REDACTED]")
