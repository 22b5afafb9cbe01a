"""Discounts, as rules that the shop's owner writes."""


def discounted(total, rule):
    """Apply a rule such as `total * 0.9`."""
    try:
        return round(eval(rule, {"total": total}))
    except:
        return total
