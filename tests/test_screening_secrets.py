"""Detection of secrets by the shape of their value."""

import pytest

from memories.screening import assigned_values
from memories.screening.findings import Finding, FindingGroup, drop_overlaps, redact
from memories.screening.secrets import find_secrets
from tests.secret_samples import ALNUM, HEX, SECRET_TEXTS, UPPER, Samples, wrap

SEEDS = range(12)

NO_SECRETS = (
    "The password is stored in the vault, ask Priya.",
    "Passwords must be at least 12 characters; the token expires after 30 days.",
    "password: required, token: string, secret: true",
    "password = <your-password>",
    "api_key: ${API_KEY}",
    "API_KEY=xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "token = get_token(user)",
    "password = settings.DATABASE_PASSWORD",
    'password = os.environ["DB_PASSWORD"]',
    "SECRET_KEY=changeme",
    "postgres://user:password@localhost/db and postgres://postgres:postgres@db/app",
    "primary_key = 5f2b8c9d0e1f4a6b8c7d9e0f1a2b3c4d",
    "The fix is in 9fceb02d0ae598e95dc970b74767f19372d61af8, see the log.",
    "Trace 123e4567-e89b-12d3-a456-426614174000 shows the timeout.",
    "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855 is the empty file.",
    "cache_key = user_profile_v2_settings_page",
    "sk-learn-style-estimators-with-long-names are allowed",
    "We are passionate about this, it is great! Passing 12 tests.",
    "Order 4111111111111112 was shipped; build 1700000000000000 failed.",
    "DE00 1234 1234 1234 1234 00 is not an account.",
    "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----",
    "See https://example.com/a/very/long/path/with-many-words-in-it?page=2 for details.",
    "getUserAccessTokenFromKeychainOrEnvironment is called twice.",
)


@pytest.mark.parametrize("kind", SECRET_TEXTS)
def test_secrets_are_found(kind: str) -> None:
    texts = [SECRET_TEXTS[kind](Samples(seed)) for seed in SEEDS]
    missed = [text for text in texts if not find_secrets(text)]
    assert len(missed) <= 1  # a random value may look like a word


@pytest.mark.parametrize("kind", SECRET_TEXTS)
def test_secrets_are_found_among_other_words(kind: str) -> None:
    texts = [f"Maria said it works:\n{SECRET_TEXTS[kind](Samples(seed))}\nSee the runbook." for seed in SEEDS]
    assert sum(not find_secrets(text) for text in texts) <= 1


@pytest.mark.parametrize("text", NO_SECRETS)
def test_words_and_placeholders_are_no_secrets(text: str) -> None:
    assert find_secrets(text) == []


def test_documented_example_keys_are_no_secrets() -> None:
    assert find_secrets("AKIA" + "IOSFODNN7" + "EXAMPLE") == []


def test_a_finding_spans_the_value_alone() -> None:
    password = Samples(3).draw(ALNUM, 14)
    text = f"postgres://app:{password}@db/app"
    (finding,) = find_secrets(text)
    assert text[finding.start : finding.end] == password
    assert redact(text, [finding]) == "postgres://app:[secret removed: password in an address]@db/app"


def test_redaction_leaves_nothing_of_any_value() -> None:
    some = Samples(5)
    values = [
        f"{'AK'}IA{some.draw(UPPER, 16)}",
        some.github_token(),
        some.card("4", 16),
        some.web_token(),
        wrap(some.github_token()),
    ]
    text = " and ".join(values)
    redacted = redact(text, find_secrets(text))
    assert not [value for value in values if value in redacted]
    assert redacted.count("[secret removed: ") == len(values)
    assert find_secrets(redacted) == []


def test_findings_do_not_hold_the_value() -> None:
    token = Samples(1).github_token()
    assert token not in repr(find_secrets(f"use {token}"))


def test_the_first_named_of_overlapping_findings_stays() -> None:
    wide = Finding(0, 9, FindingGroup.SECRET, "wide")
    narrow = Finding(3, 5, FindingGroup.SECRET, "narrow")
    after = Finding(9, 12, FindingGroup.SECRET, "after")
    assert drop_overlaps([narrow, wide, after]) == [narrow, after]
    assert drop_overlaps([wide, narrow, after]) == [wide, after]


def test_of_many_passwords_all_are_found_and_few_are_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[str] = []
    judge = assigned_values.is_password
    monkeypatch.setattr(assigned_values, "is_password", lambda value: judged.append(value) or judge(value))
    passwords = [f"A{number * 7919}!x" for number in range(1_000, 1_500)]
    text = "\n".join(f"password={password} size=12345678" for password in passwords)
    assert [text[found.start : found.end] for found in find_secrets(text)] == passwords
    assert len(judged) == assigned_values.MANY_VALUES


def test_wrappings_are_bounded() -> None:
    text = Samples(2).github_token()
    for _ in range(5):
        text = wrap(text)
    assert find_secrets(text) == []


def test_hexadecimal_values_count_only_where_a_name_says_so() -> None:
    value = Samples(4).draw(HEX, 40)
    assert find_secrets(f"auth_token={value}")
    assert not find_secrets(f"commit {value}")
    assert not find_secrets(f"etag: {value}")
