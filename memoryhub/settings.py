"""Settings: read from the environment alone; a bad value is refused by its name. docs/configuration.md lists them."""

import os
import secrets
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

import environ
from django.core.exceptions import ImproperlyConfigured

from memoryhub import admin_theme, postgres

BASE_DIR = Path(__file__).resolve().parent.parent
env = environ.Env()
# Vectors are small: threads that numpy starts for them only spin, for longer than the sum takes.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def whole_number(name: str, default: int, *, least: int = 1) -> int:
    text = env.str(name, default=str(default))
    if not text.isascii() or not text.isdigit() or int(text) < least:
        raise ImproperlyConfigured(f"{name} must be a whole number from {least}, not {text!r}.")
    return int(text)


def share(name: str, default: float) -> float:
    text = env.str(name, default=str(default))
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise ImproperlyConfigured(f"{name} must be a number from 0 to 1, not {text!r}.")
    return value


def switch(name: str, *, default: bool = False) -> bool:
    """Return a boolean setting; refuse words that are neither true nor false."""
    text = env.str(name, default=str(default)).lower()
    if text not in ("true", "1", "yes", "on", "false", "0", "no", "off"):
        raise ImproperlyConfigured(f"{name} must be true or false, not {text!r}.")
    return text in ("true", "1", "yes", "on")


def choice(name: str, choices: tuple[str, ...], default: str) -> str:
    text: str = env.str(name, default=default).upper()
    if text not in choices:
        raise ImproperlyConfigured(f"{name} must be one of {', '.join(choices)}, not {text!r}.")
    return text


def name_or_class(name: str, choices: tuple[str, ...], default: str) -> str:
    """Return one of the choices, or the dotted path of the operator's own class."""
    text: str = env.str(name, default=default)
    return _check_name_or_path(name, text, choices=choices)


def names_or_paths(name: str, choices: tuple[str, ...]) -> tuple[str, ...]:
    """Return some of the choices, by default all, and dotted paths of the operator's own."""
    texts: list[str] = env.list(name, default=list(choices))
    return tuple(dict.fromkeys(_check_name_or_path(name, text.strip(), choices=choices) for text in texts))


def _check_name_or_path(name: str, text: str, *, choices: tuple[str, ...]) -> str:
    if text.lower() in choices:
        return text.lower()
    if "." not in text or not all(part.isidentifier() for part in text.split(".")):
        raise ImproperlyConfigured(f"{name} must be {', '.join(choices)} or a path as a.b.Class, not {text!r}.")
    return text


def web_address(name: str) -> str:
    """Return an address. A refused one is not quoted, since it may contain a password."""
    text: str = env.str(name, default="")
    try:
        parts = urlsplit(text)
        good = parts.scheme in ("http", "https") and parts.hostname and not parts.username and parts.port != 0
    except ValueError:
        good = False
    if text and not good:
        raise ImproperlyConfigured(f"{name} must be an http or https address without a login in it.")
    return text


def key(name: str) -> str:
    """Return a key that fits in a header. A refused one is not quoted."""
    text: str = env.str(name, default="").strip()
    if not text.isascii() or not text.isprintable() or " " in text:
        raise ImproperlyConfigured(f"{name} must consist of printable ASCII characters without spaces.")
    return text


MAIL_PORTS = {"smtp": 25, "smtp+tls": 587, "smtps": 465}  # plain, upgraded by STARTTLS, and encrypted from the start


def mail_server(name: str) -> dict[str, Any]:
    """Return Django's settings for a mail server; none without one. A refused address is not quoted, since it may
    contain a password."""
    text: str = env.str(name, default="")
    try:
        parts = urlsplit(text)
        good = parts.scheme in MAIL_PORTS and parts.hostname and parts.port != 0
    except ValueError:
        good = False
    if not text:
        return {}
    if not good:
        raise ImproperlyConfigured(f"{name} must name a mail server: smtp+tls://user:password@host:port")
    return {
        "EMAIL_HOST": parts.hostname,
        "EMAIL_PORT": parts.port or MAIL_PORTS[parts.scheme],
        "EMAIL_HOST_USER": unquote(parts.username or ""),
        "EMAIL_HOST_PASSWORD": unquote(parts.password or ""),
        "EMAIL_USE_TLS": parts.scheme == "smtp+tls",
        "EMAIL_USE_SSL": parts.scheme == "smtps",
    }


# Where things are kept

DATABASE_URL: str = env.str("DATABASE_URL", default="")
DATA_FOLDER = Path(env.str("MEMORYHUB_DATA", default="") or BASE_DIR / "var").expanduser().resolve()
POSTGRES_BIN: str = env.str("MEMORYHUB_POSTGRES_BIN", default="")
EMBEDDED_POSTGRES: postgres.Cluster | None = None
if not DATABASE_URL:
    try:
        DATA_FOLDER = postgres.data_folder(project=BASE_DIR, chosen=env.str("MEMORYHUB_DATA", default=""))
    except postgres.PostgresError as error:
        raise ImproperlyConfigured(str(error)) from error
    EMBEDDED_POSTGRES = postgres.Cluster(DATA_FOLDER / "postgres", binaries=POSTGRES_BIN)
DATABASE_ADDRESS = DATABASE_URL or EMBEDDED_POSTGRES.url  # type: ignore[union-attr]


PLAN_ONCE = "-c plan_cache_mode=force_generic_plan"


def database() -> dict[str, Any]:
    parsed: dict[str, Any] = environ.Env.db_url_config(DATABASE_ADDRESS)
    if parsed.get("ENGINE") != "django.db.backends.postgresql":
        raise ImproperlyConfigured("DATABASE_URL must name a Postgres server: postgres://user:password@host:port/name")
    pool = {
        "min_size": 1,
        "max_size": whole_number("DATABASE_POOL_SIZE", 8) + 1,  # the one is for work beside the requests
        "timeout": 3,  # seconds until a caller is told to come back later
    }
    options = parsed.get("OPTIONS", {}) | {"pool": pool, "prepare_threshold": None}
    # Statements are prepared (memoryhub.prepared_statements) and planned once, unless a pooler before Postgres cannot
    # have that.
    if switch("DATABASE_PREPARE", default=True):
        given = options.get("options") or env.str("PGOPTIONS", default="")
        options |= {"prepare_threshold": 5, "options": f"{given} {PLAN_ONCE}".strip()}
    return parsed | {
        "HOST": unquote(parsed["HOST"]),  # a socket's folder arrives percent-encoded
        "CONN_HEALTH_CHECKS": True,
        "OPTIONS": options,
        "TEST": {"NAME": env.str("MEMORYHUB_TEST_DATABASE", default="test_memoryhub")},
    }


DATABASES = {"default": database()}
STATEMENT_TIMEOUT = whole_number("STATEMENT_TIMEOUT", 30, least=0)  # seconds, for requests alone; 0: no limit
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"


def own_secret_key() -> str:
    """Return a key created on first use and stored with the data, so that sessions survive a restart without setup."""
    path = DATA_FOLDER / "secret_key"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        new_file = path.with_name(f"secret_key.{secrets.token_hex(4)}")
        new_file.touch(mode=0o600)
        new_file.write_text(secrets.token_urlsafe(64))
        try:
            path.hardlink_to(new_file)
        except FileExistsError:  # another process was first: its key counts
            pass
        finally:
            new_file.unlink()
    return path.read_text()


SECRET_KEY: str = env.str("SECRET_KEY", default="") or own_secret_key()
if len(SECRET_KEY) < 50 or len(set(SECRET_KEY)) < 10 or SECRET_KEY.startswith("django-insecure-"):
    raise ImproperlyConfigured("SECRET_KEY must be at least 50 random characters, or not set at all.")

# Who may reach it, and how

DEBUG: bool = switch("DEBUG")
HTTPS: bool = switch("HTTPS")
ALLOWED_HOSTS: list[str] = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
if HTTPS and DEBUG:
    raise ImproperlyConfigured("DEBUG shows strangers the internals of the hub: do not combine it with HTTPS.")
if HTTPS and "*" in ALLOWED_HOSTS:
    raise ImproperlyConfigured("ALLOWED_HOSTS must name the hosts, not '*', so that no link leads to another.")
CSRF_TRUSTED_ORIGINS: list[str] = env.list("CSRF_TRUSTED_ORIGINS", default=[])
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = whole_number("HSTS_SECONDS", 31_536_000 if HTTPS else 0, least=0)
# Promises for other hosts of the domain, which may not speak HTTPS: only the operator can make them, so the checks that
# ask for them (W005, W021) are silenced.
SECURE_HSTS_INCLUDE_SUBDOMAINS = switch("HSTS_INCLUDE_SUBDOMAINS")
SECURE_HSTS_PRELOAD = switch("HSTS_PRELOAD")
if SECURE_HSTS_PRELOAD and not SECURE_HSTS_INCLUDE_SUBDOMAINS:
    raise ImproperlyConfigured("HSTS_PRELOAD needs HSTS_INCLUDE_SUBDOMAINS: browsers' lists take whole domains only.")
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
if HTTPS:
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
PROXIES = whole_number("PROXIES", int(HTTPS), least=0)  # before us, each of which adds to X-Forwarded-For
SESSION_COOKIE_HTTPONLY = CSRF_COOKIE_HTTPONLY = True
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
# Pages load nothing from elsewhere and run nothing that is written into them.
CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self';"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
# The page of the API's documentation is not ours: it puts styles into its elements.
CONTENT_POLICY_OF_DOCS = CONTENT_POLICY.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'")
# Nor are the admin's pages: they also read what their elements do out of attributes, and bring their letters along.
CONTENT_POLICY_OF_ADMIN = (
    CONTENT_POLICY_OF_DOCS.replace("script-src 'self'", "script-src 'self' 'unsafe-eval'") + "; font-src 'self'"
)
CSRF_FAILURE_VIEW = "memoryhub.form_rescue.refuse_outdated_form"
LOGIN_URL = "login"
LOGIN_REDIRECT_URL = "home"
LOGOUT_REDIRECT_URL = "login"

# E-mail: nothing is sent without a server

PUBLIC_URL = web_address("PUBLIC_URL").rstrip("/")  # of the hub, for links in mail
EMAIL_URL: str = env.str("EMAIL_URL", default="")
EMAIL_FROM: str = env.str("EMAIL_FROM", default="")
globals().update(mail_server("EMAIL_URL"))
EMAIL_TIMEOUT = 20  # seconds
DEFAULT_FROM_EMAIL = EMAIL_FROM or "memoryhub@localhost"
if EMAIL_FROM and ("@" not in EMAIL_FROM or not EMAIL_FROM.isprintable()):
    raise ImproperlyConfigured("EMAIL_FROM must be an e-mail address.")
if EMAIL_URL:
    for _name, _value in (("EMAIL_FROM", EMAIL_FROM), ("PUBLIC_URL", PUBLIC_URL)):
        if not _value:
            raise ImproperlyConfigured(f"EMAIL_URL needs {_name}.")

# Recall

RETRIEVERS = names_or_paths("RETRIEVERS", ("words", "meaning", "links"))
if not {"words", "meaning"} & set(RETRIEVERS):
    raise ImproperlyConfigured("RETRIEVERS must name words or meaning.")
EMBEDDING = name_or_class("EMBEDDING", ("wordllama", "minilm", "endpoint", "none"), "wordllama")
EMBEDDING_URL = web_address("EMBEDDING_URL")
EMBEDDING_MODEL: str = env.str("EMBEDDING_MODEL", default="")
EMBEDDING_KEY = key("EMBEDDING_KEY")
EMBEDDING_DIMENSION = whole_number("EMBEDDING_DIMENSION", 0, least=0)
EMBEDDING_BACKGROUND = share("EMBEDDING_BACKGROUND", 0.15)  # of an endpoint's model, or of one of the operator's own
EMBEDDING_TIMEOUT = whole_number("EMBEDDING_TIMEOUT", 10)
EMBEDDING_BATCH = whole_number("EMBEDDING_BATCH", 64)
EMBEDDING_CHARACTERS = whole_number("EMBEDDING_CHARACTERS", 8_000)
if EMBEDDING == "endpoint":
    for _name, _value in (("EMBEDDING_URL", EMBEDDING_URL), ("EMBEDDING_MODEL", EMBEDDING_MODEL)):
        if not _value:
            raise ImproperlyConfigured(f"EMBEDDING=endpoint needs {_name}.")

# A second look at the first hits of a recall, by a model that reads the query and each text together
RERANKER = name_or_class("RERANKER", ("none", "cross-encoder", "endpoint"), "none")
RERANKER_FOLDER: str = env.str("RERANKER_FOLDER", default="")
RERANKER_URL = web_address("RERANKER_URL")
RERANKER_MODEL: str = env.str("RERANKER_MODEL", default="")
RERANKER_KEY = key("RERANKER_KEY")
RERANKER_CANDIDATES = whole_number("RERANKER_CANDIDATES", 30, least=2)
RERANKER_MILLISECONDS = whole_number("RERANKER_MILLISECONDS", 500)
if RERANKER == "endpoint":
    for _name, _value in (("RERANKER_URL", RERANKER_URL), ("RERANKER_MODEL", RERANKER_MODEL)):
        if not _value:
            raise ImproperlyConfigured(f"RERANKER=endpoint needs {_name}.")
if RERANKER == "cross-encoder" and not RERANKER_FOLDER:
    raise ImproperlyConfigured("RERANKER=cross-encoder needs RERANKER_FOLDER.")
if RERANKER_CANDIDATES > 50:
    raise ImproperlyConfigured(f"RERANKER_CANDIDATES must be 50 at most, not {RERANKER_CANDIDATES}.")

RECALL_FLOOR = share("RECALL_FLOOR", 0.3)  # the confidence that a hit needs where a caller leaves it to the hub
FEEDBACK_WEIGHT = share("FEEDBACK_WEIGHT", 0.1)  # how far feedback moves a hit: a share of its relevance
if FEEDBACK_WEIGHT > 0.3:
    raise ImproperlyConfigured(f"FEEDBACK_WEIGHT must be 0.3 at most, not {FEEDBACK_WEIGHT}.")
ANCHOR_PENALTY = share("ANCHOR_PENALTY", 0.15)  # of its relevance, that a hit with a failed anchor loses
if ANCHOR_PENALTY > 0.5:
    raise ImproperlyConfigured(f"ANCHOR_PENALTY must be 0.5 at most, not {ANCHOR_PENALTY}.")
TIME_WEIGHT = share("TIME_WEIGHT", 0.1)  # how far words of time in a question move a hit: a share of its relevance
if TIME_WEIGHT > 0.3:
    raise ImproperlyConfigured(f"TIME_WEIGHT must be 0.3 at most, not {TIME_WEIGHT}.")
SIMILAR_ABOVE = share("SIMILAR_ABOVE", 0.9)  # a new memory is linked to what it resembles more than that; 0: to nothing
PAIRS_ABOVE = share("PAIRS_ABOVE", 0.3)  # memories more similar than that are compared with each other

# Extraction of memories from conversations

EXTRACTION = name_or_class("EXTRACTION", ("rules", "endpoint", "none"), "rules")
EXTRACTION_URL = web_address("EXTRACTION_URL")
EXTRACTION_MODEL: str = env.str("EXTRACTION_MODEL", default="")
EXTRACTION_KEY = key("EXTRACTION_KEY")
EXTRACTION_TIMEOUT = whole_number("EXTRACTION_TIMEOUT", 30)
EXTRACTION_HOLD = switch("EXTRACTION_HOLD")  # for review, whatever a call says
PROPOSAL_DAYS = whole_number("PROPOSAL_DAYS", 30)  # for which a proposal waits for a decision
if EXTRACTION == "endpoint":
    for _name, _value in (("EXTRACTION_URL", EXTRACTION_URL), ("EXTRACTION_MODEL", EXTRACTION_MODEL)):
        if not _value:
            raise ImproperlyConfigured(f"EXTRACTION=endpoint needs {_name}.")

# Whether a process may do beside the requests what nobody should wait for; if not, it is done at once.
BACKGROUND = switch("BACKGROUND", default=True)

# Jobs

WORKER_DEAD_AFTER = whole_number("WORKER_DEAD_AFTER", 30)  # seconds without a sign of life; then others take over
KEEP_RECALLS_DAYS = whole_number("KEEP_RECALLS_DAYS", 365, least=0)  # 0: for ever
KEEP_FORGOTTEN_DAYS = whole_number("KEEP_FORGOTTEN_DAYS", 0, least=0)  # 0: for ever
KEEP_UNUSED_DAYS = whole_number("KEEP_UNUSED_DAYS", 90, least=0)  # people and sessions; 0: for ever
PROCRASTINATE_AUTODISCOVER_MODULE_NAME = "jobs"
PROCRASTINATE_PERIODIC_DEFAULTS = {"max_delay": 86_400}  # what was due while no worker ran is done when one does

# Limits

LOGIN_TRIES = whole_number("LOGIN_TRIES", 10)  # wrong passwords for a name from an address, until one has to wait
LOGIN_WAIT = whole_number("LOGIN_WAIT", 900)  # seconds
REQUESTS_PER_MINUTE = whole_number("REQUESTS_PER_MINUTE", 0, least=0)  # of each token; 0: as many as it likes
REGISTRATIONS_PER_DAY = whole_number("REGISTRATIONS_PER_DAY", 10_000, least=0)  # new people and sessions of each token
EXPORT_MAX_ROWS = whole_number("EXPORT_MAX_ROWS", 500_000, least=0)  # sent by the web server; 0: however many
# What stays free on the disk of the embedded Postgres and of attachments: room for what Postgres writes by itself.
DISK_RESERVE_BYTES = whole_number("DISK_RESERVE_BYTES", 128 * 1024 * 1024, least=0)
ASSET_MAX_BYTES = whole_number("ASSET_MAX_BYTES", 25 * 1024 * 1024)
BODY_TIMEOUT = whole_number("BODY_TIMEOUT", 20)  # seconds for a request's body, and one more for each 32 KiB of it
DATA_UPLOAD_MAX_MEMORY_SIZE = whole_number("REQUEST_MAX_BYTES", 2 * 1024 * 1024)

# The parts

INSTALLED_APPS = [
    "unfold",
    "unfold.contrib.filters",
    "django.contrib.admin",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.humanize",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.postgres",
    "django.contrib.staticfiles",
    "django.forms",
    "django_filters",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "procrastinate.contrib.django",
    "rest_framework",
    "teams",
    "memories",
]
MIDDLEWARE = [
    "memoryhub.middleware.RequestLog",
    "memoryhub.middleware.DatabaseTrouble",
    "memoryhub.middleware.ContentPolicy",
    "memoryhub.middleware.NoStore",
    "memoryhub.middleware.UnreadBodies",
    "memoryhub.middleware.Probes",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "memoryhub.middleware.LenientSessions",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "memoryhub.middleware.LogUser",
    "teams.known_devices.KnownDevices",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "memoryhub.middleware.ErrorPages",
]
ROOT_URLCONF = "memoryhub.urls"
WSGI_APPLICATION = "memoryhub.wsgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "teams.team_page.team_page_context",
                "teams.views.appearance.appearance_context",
            ],
            "libraries": {"ui": "memoryhub.templatetags.ui"},
        },
    },
]
FORM_RENDERER = "django.forms.renderers.TemplatesSetting"  # so that our templates shape fields
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in ("UserAttributeSimilarityValidator", "MinimumLengthValidator", "CommonPasswordValidator")
]
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["memories.api.framework.TokenAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["memories.api.framework.JSONRenderer"],
    "DEFAULT_PARSER_CLASSES": ["memories.api.framework.JSONParser"],
    "EXCEPTION_HANDLER": "memories.api.framework.problem",
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "UNAUTHENTICATED_USER": None,
    "URL_FORMAT_OVERRIDE": None,  # `format` is the kind of client that tools are defined for
}
SPECTACULAR_SETTINGS = {
    "TITLE": "MemoryHub",
    "DESCRIPTION": "Shared, persistent memory for teams of AI agents and the people who work with them.",
    "VERSION": "1",
    "OAS_VERSION": "3.1.1",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_AUTHENTICATION": [],
    "SERVE_PERMISSIONS": ["rest_framework.permissions.AllowAny"],
    "POSTPROCESSING_HOOKS": ["memories.api.openapi_document.name_components"],
    "SORT_OPERATIONS": False,
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
}
UNFOLD = admin_theme.ADMIN_THEME
LANGUAGE_CODE = "en-us"
FORMAT_MODULE_PATH = "memoryhub.formats"
TIME_ZONE = "UTC"
USE_TZ = True

STATIC_URL = "static/"
STATIC_ROOT = DATA_FOLDER / "static"
STATICFILES_DIRS = [BASE_DIR / "static"]
MEDIA_ROOT = DATA_FOLDER / "media"
ERASURES_FILE = DATA_FOLDER / "erasures.jsonl"  # outside the database, so that a restore knows whom to erase again
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
FILE_UPLOAD_PERMISSIONS = 0o600
FILE_UPLOAD_DIRECTORY_PERMISSIONS = (
    0o700  # a file gets its mode a moment after it is there: until then its folder hides it
)

# Seeing what happens

LOG_FORMAT = choice("LOG_FORMAT", ("LINE", "JSON"), "JSON" if HTTPS else "LINE")
SLOW_STATEMENT = whole_number("SLOW_STATEMENT", 500)  # milliseconds
METRICS_TOKEN = key("METRICS_TOKEN")
if METRICS_TOKEN and len(METRICS_TOKEN) < 16:
    raise ImproperlyConfigured("METRICS_TOKEN must have 16 characters or more.")
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "LINE": {
            "()": "memoryhub.logs.LineFormatter",
            "format": "{asctime} {levelname} {name}: {message}",
            "style": "{",
        },
        "JSON": {"()": "memoryhub.logs.JsonFormatter"},
    },
    "filters": {"outages": {"()": "memoryhub.outages.OutageFilter"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": LOG_FORMAT, "filters": ["outages"]}},
    # Which jobs there are is no news, though every process would tell it.
    "loggers": {f"procrastinate.{name}": {"level": "WARNING"} for name in ("periodic", "blueprints")},
    "root": {
        "handlers": ["console"],
        "level": choice("LOG_LEVEL", ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"), "INFO" if HTTPS else "WARNING"),
    },
}
