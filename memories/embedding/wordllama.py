"""The default embedder: a table of token vectors that comes inside its package."""

from collections.abc import Mapping, Sequence

import numpy as np
from safetensors.numpy import load_file
from tokenizers import Tokenizer

from memories.embedding import packaged
from memories.embedding.pooling import normalize, position_weights, word_weights


class WordLlama:
    """A table of token vectors, 16 MB inside its wheel: no network, no graphics card, a tenth of a millisecond a text.

    Only the package's data is used: importing the package itself would reconfigure everybody's logging.
    """

    name = "wordllama-256"
    dimension = 256
    inline = True
    share = 0.5
    background = 0.15
    reach = 128.0  # tokens
    most_tokens = 2_048

    def __init__(self) -> None:
        (table,) = load_file(self._file("weights/l2_supercat_256.safetensors")).values()
        self.table = table.astype(np.float32)
        self.tokenizer = Tokenizer.from_file(self._file("tokenizers/l2_supercat_tokenizer_config.json"))
        self.tokenizer.no_truncation()
        self.tokenizer.no_padding()

    @staticmethod
    def _file(path: str) -> str:
        return str(packaged.find_package_file("wordllama", path, requirements="requirements.txt"))

    def documents(self, texts: Sequence[str]) -> list[list[float]]:
        encoded = (self.tokenizer.encode(text, add_special_tokens=False) for text in texts)  # its batches start threads
        return [self._document(encoding.ids[: self.most_tokens]) for encoding in encoded]

    def _document(self, tokens: list[int]) -> list[float]:
        return normalize(position_weights(len(tokens), reach=self.reach) @ self.table[tokens])

    def count_tokens(self, text: str) -> int:
        return len(self.tokenizer.encode(text, add_special_tokens=False).ids)

    def query(self, text: str, weights: Mapping[str, float]) -> list[float]:
        encoding = self.tokenizer.encode(text, add_special_tokens=False)
        tokens, offsets = encoding.ids[: self.most_tokens], encoding.offsets[: self.most_tokens]
        return normalize(word_weights(text, offsets=offsets, weights=weights) @ self.table[tokens])
