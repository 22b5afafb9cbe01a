class Account:
    owner = ""


class Business(Account):
    pass


class Tenant:
    name = ""
