"""Commands ended by SIGKILL at a random moment: `python -m tests.e2e.killed ROUNDS SEED SPAN ARGUMENT…`.

The libraries are imported once; each round is a fork that runs the command and is killed after a random part of SPAN
seconds. Every seventh round finds no store, so that the first stages are hit as often as the last. Ends with the number
of rounds that were killed before they were done.
"""

from __future__ import annotations

import os
import random
import shutil
import signal
import sys
import time
from pathlib import Path

from ragbench.cli.main import main


def once(arguments: list[str]) -> int:
    """Run the command in a child, silent; its process number."""
    child = os.fork()
    if child == 0:
        with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
            os.dup2(nowhere.fileno(), 1)
            os.dup2(nowhere.fileno(), 2)
            os._exit(main(arguments))
    return child


def killed(rounds: int, seed: int, span: float, arguments: list[str]) -> int:
    """How many of the rounds were ended before they were done."""
    dice = random.Random(seed)
    hit = 0
    for at in range(rounds):
        if at % 7 == 0:
            shutil.rmtree("torn", ignore_errors=True)
        child = once(arguments)
        time.sleep(dice.random() * span)
        os.kill(child, signal.SIGKILL)
        hit += os.WIFSIGNALED(os.waitpid(child, 0)[1])
    return hit


if __name__ == "__main__":
    print(killed(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), sys.argv[4:]))
