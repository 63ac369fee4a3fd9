"""A reranker on this machine: a cross-encoder in ONNX format, from a folder of the operator's."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from django.conf import settings
from tokenizers import Encoding, Tokenizer

from memories.reranking import RerankerUnavailable

MOST_TOKENS = 256  # limit for a query and a text together
BATCH = 4  # texts between two looks at the clock


class CrossEncoder:
    """`model.onnx` and `tokenizer.json`, as model hubs offer them for cross-encoders with one output."""

    def __init__(self) -> None:
        try:
            import onnxruntime
        except ImportError as error:
            raise RerankerUnavailable(
                "The package onnxruntime is missing: pip install --no-deps -r requirements-minilm.txt"
            ) from error
        folder = Path(settings.RERANKER_FOLDER)
        for name in ("model.onnx", "tokenizer.json"):
            if not (folder / name).is_file():
                raise RerankerUnavailable(f"RERANKER_FOLDER has no {name}.")
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self.tokenizer.enable_truncation(MOST_TOKENS)
        self.tokenizer.enable_padding()
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1  # the server has threads of its own
        options.log_severity_level = 3  # errors alone
        self.session = onnxruntime.InferenceSession(folder / "model.onnx", options, providers=["CPUExecutionProvider"])
        self.inputs = {node.name for node in self.session.get_inputs()}

    def score(self, query: str, texts: Sequence[str], *, seconds: float) -> list[float]:
        deadline = time.monotonic() + seconds
        scores: list[float] = []
        while len(scores) < len(texts) and time.monotonic() < deadline:
            batch = texts[len(scores) : len(scores) + BATCH]
            scores += self._score_batch(self.tokenizer.encode_batch([(query, text) for text in batch]))
        return scores

    def _score_batch(self, pairs: Sequence[Encoding]) -> list[float]:
        values: dict[str, Any] = {
            "input_ids": [pair.ids for pair in pairs],
            "attention_mask": [pair.attention_mask for pair in pairs],
            "token_type_ids": [pair.type_ids for pair in pairs],
        }
        inputs = {name: np.array(rows, np.int64) for name, rows in values.items() if name in self.inputs}
        (logits,) = self.session.run(None, inputs)
        scores: list[float] = np.asarray(logits, np.float64).reshape(len(pairs), -1)[:, 0].tolist()
        return scores
