class ReviewState:
    approved = False
