"""What one review remembers."""


class ReviewState:
    approved = False
    rounds = 0
