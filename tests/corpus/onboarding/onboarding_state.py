class AccountState:
    created: set[str] = set()


class OnboardingState:
    done: list[str] = []
    welcome: str = ""
