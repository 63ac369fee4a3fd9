"""A tiny cross-encoder in ONNX format: it scores a pair by the greatest token of the text.

Written byte by byte, as protocol buffers are, so that no package is needed to make it.
"""

import json
from pathlib import Path

INT64 = 7  # ONNX's number for the type
WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "poor", "fair", "good", "best"]  # the later, the better


def write_model(folder: Path) -> None:
    """Write `model.onnx` and `tokenizer.json`. The score is max(input_ids * token_type_ids), less separators."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(build_model())
    (folder / "tokenizer.json").write_text(json.dumps(build_tokenizer()))


def build_model() -> bytes:
    nodes = [
        build_node("Mul", ["input_ids", "token_type_ids"], "text"),
        build_node("ReduceMax", ["text"], "logits", attribute=int_list_attribute("axes", [1])),
    ]
    inputs = [tensor(name, "batch", "length") for name in ("input_ids", "token_type_ids")]
    graph = b"".join(field(1, node) for node in nodes) + field(2, b"tiny")
    graph += b"".join(field(11, made) for made in inputs) + field(12, tensor("logits", "batch", "one"))
    operators = field(1, b"") + number(2, 13)
    return number(1, 8) + field(7, graph) + field(8, operators)


def build_node(kind: str, inputs: list[str], output: str, *, attribute: bytes = b"") -> bytes:
    made = b"".join(field(1, name.encode()) for name in inputs) + field(2, output.encode()) + field(4, kind.encode())
    return made + (field(5, attribute) if attribute else b"")


def int_list_attribute(name: str, values: list[int]) -> bytes:
    return field(1, name.encode()) + b"".join(number(8, value) for value in values) + number(20, 7)


def tensor(name: str, *dimensions: str) -> bytes:
    shape = b"".join(field(1, field(2, dimension.encode())) for dimension in dimensions)
    return field(1, name.encode()) + field(2, field(1, number(1, INT64) + field(2, shape)))


def field(place: int, content: bytes) -> bytes:
    return varint(place << 3 | 2) + varint(len(content)) + content


def number(place: int, value: int) -> bytes:
    return varint(place << 3) + varint(value)


def varint(value: int) -> bytes:
    made = bytearray()
    while value > 127:
        made.append(value & 127 | 128)
        value >>= 7
    return bytes([*made, value])


def build_tokenizer() -> dict[str, object]:
    """Return a tokenizer that knows a few words, and joins a query and a text as BERT's does."""
    special = {name: {"id": name, "ids": [WORDS.index(name)], "tokens": [name]} for name in ("[CLS]", "[SEP]")}
    first: list[dict[str, object]] = [
        {"SpecialToken": {"id": "[CLS]", "type_id": 0}},
        {"Sequence": {"id": "A", "type_id": 0}},
        {"SpecialToken": {"id": "[SEP]", "type_id": 0}},
    ]
    return {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": {"type": "Lowercase"},
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": {
            "type": "TemplateProcessing",
            "single": first,
            "pair": [*first, {"Sequence": {"id": "B", "type_id": 1}}, {"SpecialToken": {"id": "[SEP]", "type_id": 1}}],
            "special_tokens": special,
        },
        "decoder": None,
        "model": {
            "type": "WordLevel",
            "vocab": {word: place for place, word in enumerate(WORDS)},
            "unk_token": "[UNK]",
        },
    }
