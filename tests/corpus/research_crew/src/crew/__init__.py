"""A crew that researches a topic and writes an article about it."""

from crew.workflows.article import Article as Article
from crew.workflows.article import build
