class PullRequest:
    def __init__(self, number):
        self.number = number
        self.labels = []

    @property
    def diff(self):
        return f"diff of {self.number}"
