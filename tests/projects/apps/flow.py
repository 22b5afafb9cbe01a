import asyncio

import made
from stores import Cellar
from thena_runtime import ContractError, Thena, ThenaConfig
from workflows import Asking, Cellars


async def main():
    async with Thena(Cellars, ThenaConfig(memory=[Cellar])) as app:
        await app.run("Dig.")


def later():
    return Thena(Asking, data=dict)


def misspelt():
    return Thena(
        Asking,
        config=ThenaConfig(
            log=True,
            memry=[Cellar],  # error: THN110
        ),
    )


for start in (lambda: asyncio.run(main()), later, misspelt):
    try:
        start()
    except ContractError as error:
        print(error)
