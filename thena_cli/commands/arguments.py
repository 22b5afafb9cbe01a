"""The arguments that every command takes alike."""

import argparse


def add_target_and_prompt(parser: argparse.ArgumentParser) -> None:
    """Declare TARGET and PROMPT."""
    parser.add_argument("target", metavar="TARGET", help="a file, a folder, a module, or module:name")
    parser.add_argument("prompt", metavar="PROMPT", nargs="?", default="", help="what the run is asked to do")
