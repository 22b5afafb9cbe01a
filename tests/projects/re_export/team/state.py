class Draft:
    approved = False
