def two(ctx) -> bool:
    return True


def two(ctx, s) -> bool:
    return True
