import os

LOG = bool(os.environ.get("BOT_LOG"))
LABELS = ["bug", "feature"]
