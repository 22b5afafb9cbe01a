from thena_runtime import Agent, Prompt, ScriptedProvider, loop, parallel, until_answered


@Agent(provider=ScriptedProvider(["done"]), prompt=Prompt("Write."))
class Writer:
    pass


class Helper:
    pass


BUILT = [Writer]
BUILT.append(
    Helper,  # error: THN101
)
BUILT += [Writer, "text"]  # error: THN101
BUILT.extend([3, Writer])  # error: THN101
BUILT.insert(0, Helper())  # error: THN101
BUILT.append(
    loop(
        [],  # error: THN107
        until=until_answered,
    )
)
BUILT.append(parallel([Writer]))

FILLED = []
for each in range(2):
    FILLED.append(Writer)

COPIED_FIRST = [Writer]
COPY = list(COPIED_FIRST)
COPIED_FIRST.append(3)

IN_A_FUNCTION = [Writer]


def fill() -> None:
    IN_A_FUNCTION.append(3)
    IN_A_FUNCTION[:] = [Writer]


IN_A_FUNCTION.append(3)
fill()

REMOVED = [Writer]
REMOVED.append(3)
REMOVED.pop()


def chosen():
    """What all workflows begin with."""
    return [
        Writer,
        Helper,  # error: THN101
    ]


def asked(count):
    return [3] * count


def in_two_ways():
    if IN_A_FUNCTION:
        return [Writer]
    return [3]
