"""Secrets made at run time by their shapes, so that none is written anywhere."""

import base64
import json
import random
import string
import zlib
from collections.abc import Callable

from memories.screening.checksums import BASE62, has_luhn

ALNUM = string.ascii_letters + string.digits
UPPER = string.ascii_uppercase + string.digits
HEX = string.digits + "abcdef"
WORD = ALNUM + "_-"
BASE64 = ALNUM + "+/"


class Samples:
    """Draws the same secrets for the same seed."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)

    def draw(self, alphabet: str, length: int) -> str:
        return "".join(self.random.choices(alphabet, k=length))

    def digits(self, length: int) -> str:
        return self.draw(string.digits, length)

    def key_block(self, kind: str) -> str:
        body = base64.b64encode(self.random.randbytes(600)).decode()
        lines = "\n".join(body[at : at + 64] for at in range(0, len(body), 64))
        return f"-----BEGIN {kind}-----\n{lines}\n-----END {kind}-----"

    def card(self, prefix: str, length: int) -> str:
        digits = prefix + self.digits(length - len(prefix) - 1)
        return next(digits + last for last in string.digits if has_luhn(digits + last))

    def iban(self, country: str, account: str) -> str:
        number = int("".join(str(int(sign, 36)) for sign in f"{account}{country}00"))
        return f"{country}{98 - number % 97:02}{account}"

    def github_token(self) -> str:
        body = self.draw(ALNUM, 30)
        number, signs = zlib.crc32(body.encode()), ""
        for _ in range(6):
            number, rest = divmod(number, 62)
            signs = BASE62[rest] + signs
        return f"{'gh'}p_{body}{signs}"

    def web_token(self) -> str:
        header, body = (
            base64.urlsafe_b64encode(json.dumps(part).encode()).decode().rstrip("=")
            for part in ({"alg": "HS256", "typ": "JWT"}, {"sub": self.draw(ALNUM, 10)})
        )
        return f"{header}.{body}.{self.draw(WORD, 43)}"

    def password(self) -> str:
        return f"{self.draw(ALNUM, 5)}#{self.draw(string.digits, 3)}{self.draw(string.ascii_letters, 4)}"

    def uuid(self) -> str:
        return "-".join(self.draw(HEX, length) for length in (8, 4, 4, 4, 12))


def wrap(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def group(digits: str) -> str:
    return " ".join(digits[at : at + 4] for at in range(0, len(digits), 4))


# Each kind, and how a text with such a secret is made.
SECRET_TEXTS: dict[str, Callable[[Samples], str]] = {
    "AWS access key": lambda some: f"use {'AK'}IA{some.draw(UPPER, 16)} here",
    "AWS secret": lambda some: f"aws_secret_access_key = {some.draw(BASE64, 40)}",
    "AWS pair": lambda some: f"{'AK'}IA{some.draw(UPPER, 16)} / {some.draw(BASE64, 40)}",
    "Google API key": lambda some: f"{'AI'}za{some.draw(WORD, 35)}",
    "Google OAuth secret": lambda some: f"{'GOC'}SPX-{some.draw(WORD, 28)}",
    "Google service account": lambda some: json.dumps({"private_key": some.key_block("PRIVATE KEY")}),
    "GitHub token": lambda some: f"git clone with {some.github_token()}",
    "GitHub token without a right checksum": lambda some: f"{'gh'}o_{some.draw(ALNUM, 36)}",
    "GitHub fine-grained": lambda some: f"{'git'}hub_pat_{some.draw(ALNUM, 22)}_{some.draw(ALNUM, 59)}",
    "GitLab": lambda some: f"{'gl'}pat-{some.draw(WORD, 20)}",
    "Slack bot": lambda some: f"{'xo'}xb-{some.digits(12)}-{some.digits(12)}-{some.draw(ALNUM, 24)}",
    "Slack webhook": lambda some: f"https://hooks.slack.com/services/T{'7B' * 4}/B{'X9' * 4}/{some.draw(ALNUM, 24)}",
    "Stripe": lambda some: f"{'sk'}_live_{some.draw(ALNUM, 24)}",
    "OpenAI": lambda some: f"{'sk'}-proj-{some.draw(WORD, 74)}T3BlbkFJ{some.draw(WORD, 74)}",
    "Anthropic": lambda some: f"{'sk'}-ant-api03-{some.draw(WORD, 93)}AA",
    "Hugging Face": lambda some: f"{'h'}f_{some.draw(string.ascii_letters, 34)}",
    "npm": lambda some: f"{'np'}m_{some.draw(ALNUM, 36)}",
    "PyPI": lambda some: f"{'py'}pi-AgEIcHlwaS5vcmc{some.draw(WORD, 100)}",
    "SendGrid": lambda some: f"{'S'}G.{some.draw(WORD, 22)}.{some.draw(WORD, 43)}",
    "Twilio": lambda some: f"{'S'}K{some.draw(HEX, 32)}",
    "Telegram": lambda some: f"{some.draw('123456789', 10)}:AA{some.draw(WORD, 33)}",
    "DigitalOcean": lambda some: f"{'do'}p_v1_{some.draw(HEX, 64)}",
    "Azure storage": lambda some: f"AccountName=acme;AccountKey={wrap(some.draw(ALNUM, 64))};EndpointSuffix=core",
    "Azure client secret": lambda some: f"{some.draw(ALNUM, 3)}8Q~{some.draw(ALNUM, 34)}",
    "RSA key": lambda some: some.key_block("RSA PRIVATE KEY"),
    "OpenSSH key": lambda some: some.key_block("OPENSSH PRIVATE KEY"),
    "PGP key": lambda some: some.key_block("PGP PRIVATE KEY BLOCK"),
    "Postgres": lambda some: f"postgres://app:{some.draw(ALNUM, 12)}@db.internal:5432/app",
    "MongoDB": lambda some: f"mongodb+srv://root:{some.draw(ALNUM, 16)}@cluster0.mongodb.net/",
    "Redis": lambda some: f"redis://:{some.draw(ALNUM, 20)}@cache:6379/0",
    "JDBC": lambda some: f"jdbc:postgresql://db/app?user=svc&password={some.draw(ALNUM, 14)}",
    "ADO": lambda some: f"Server=db;User Id=sa;Password={some.draw(ALNUM, 13)}1;",
    "basic auth": lambda some: f"https://admin:{some.draw(ALNUM, 10)}@ci.acme.io/job",
    "web token": lambda some: some.web_token(),
    "Visa": lambda some: f"card {some.card('4', 16)}",
    "Visa in fours": lambda some: f"card {group(some.card('4', 16))}",
    "American Express": lambda some: some.card("37", 15),
    "IBAN": lambda some: f"pay to {some.iban('DE', some.digits(18))}",
    "IBAN in fours": lambda some: group(some.iban("NL", f"ABNA{some.digits(10)}")),
    "password =": lambda some: f"password = {some.password()}",
    "password in JSON": lambda some: json.dumps({"db_password": some.password()}),
    "password in settings": lambda some: f"DB_PASSWORD={some.password()}",
    "password in a table": lambda some: f"| password | {some.password()} |",
    "password in a sentence": lambda some: f"The admin password is {some.password()}, ask Jo.",
    "password option": lambda some: f"mysql --password={some.password()} -h db",
    "curl": lambda some: f"curl -u admin:{some.password()} https://x.io",
    "API key": lambda some: f'api_key: "{some.draw(ALNUM, 32)}"',
    "API key in hex": lambda some: f"DD_API_KEY={some.draw(HEX, 31)}7",
    "API key as UUID": lambda some: f"HEROKU_API_KEY={some.uuid()}",
    "bearer": lambda some: f"Authorization: Bearer {some.draw(ALNUM, 40)}",
    "basic": lambda some: f"Authorization: Basic {wrap('admin:' + some.password())}",
    "in base64": lambda some: f"data: {wrap(some.github_token())}",
    "twice in base64": lambda some: wrap(wrap(f"token {some.github_token()}")),
    "this hub": lambda some: f"{'m'}h_{some.draw(ALNUM, 46)}",
}  # fmt: skip
