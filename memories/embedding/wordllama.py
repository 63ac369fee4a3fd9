"""The default embedder: a table of token vectors that comes inside its package."""

import importlib.util
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer


class WordLlama:
    """A table of token vectors, 16 MB inside its wheel: no network, no graphics card, a tenth of a millisecond a text.

    Only the package's data is used: importing the package itself would reconfigure everybody's logging.
    """

    name = "wordllama-256"
    dimension = 256
    inline = True
    reach = 128.0  # tokens; what a text begins with tells more of what it is about
    most_tokens = 2_048

    def __init__(self) -> None:
        spec = importlib.util.find_spec("wordllama")
        folder = Path(next(iter(spec.submodule_search_locations or ()))) if spec else Path()
        (table,) = load_file(folder / "weights" / "l2_supercat_256.safetensors").values()
        self.table = table.astype(np.float32)
        self.tokenizer = Tokenizer.from_file(str(folder / "tokenizers" / "l2_supercat_tokenizer_config.json"))
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()

    def documents(self, texts: Sequence[str]) -> list[list[float]]:
        encoded = (self.tokenizer.encode(text, add_special_tokens=False) for text in texts)  # its batches start threads
        return [self._document(encoding.ids[: self.most_tokens]) for encoding in encoded]

    def _document(self, tokens: list[int]) -> list[float]:
        places = np.arange(len(tokens), dtype=np.float32)
        return self._unit((1 / (1 + places / self.reach) ** 2) @ self.table[tokens])

    def query(self, text: str, weights: Mapping[str, float]) -> list[float]:
        encoding = self.tokenizer.encode(text, add_special_tokens=False)
        tokens, offsets = encoding.ids[: self.most_tokens], encoding.offsets[: self.most_tokens]
        by_place = self._weight_by_place(text, weights)
        weighed = np.array([max(by_place[start:end], default=1.0) for start, end in offsets], dtype=np.float32)
        return self._unit(weighed @ self.table[tokens])

    @staticmethod
    def _weight_by_place(text: str, weights: Mapping[str, float]) -> list[float]:
        """For each character the weight of the word it stands in."""
        places = [1.0] * len(text)
        start = 0
        for position in range(len(text) + 1):
            if position == len(text) or not text[position].isalnum():
                word = text[start:position].lower()
                places[start:position] = [weights.get(word, 1.0)] * (position - start)
                start = position + 1
        return places

    @staticmethod
    def _unit(vector: "np.ndarray[Any, Any]") -> list[float]:
        length = float(np.linalg.norm(vector))
        return [float(number) for number in (vector / length if length else vector)]
