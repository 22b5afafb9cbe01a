from collections.abc import Sequence

from thena_runtime import ScriptedProvider


class EmbeddingModel(ScriptedProvider):
    """A scripted model that also makes vectors: letters counted."""

    async def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        return [[float(text.lower().count(letter)) for letter in "aeiou"] for text in texts]
