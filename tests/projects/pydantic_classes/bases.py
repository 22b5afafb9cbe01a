from pydantic import BaseModel

from thena_runtime import Context


class Checked(BaseModel):
    async def before_prompt(self, prompt: str, ctx: Context, limit: int) -> str:  # error: THN501
        return prompt[:limit]
