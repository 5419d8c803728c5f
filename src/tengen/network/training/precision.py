"""Whether PyTorch can compute with numbers of 16 bits on this machine."""

import subprocess
import sys

from tengen.core.errors import TengenError

TRIAL = """
import torch
from tengen.network.training.model import OwnModel
model = OwnModel(2, 64)
model.has_short_tower = True
answer = model(torch.zeros(64, model.planes, 9, 9), torch.zeros(64, 3))
answer.policy.sum().backward()
"""
"""One step of a small training. (Layers of a few numbers would not show what goes wrong.)"""


def require_short_numbers() -> None:
    """Raise TengenError if a tower of short numbers cannot be trained here.

    It is tried in a process of its own: where a virtual machine tells of AMX, but not all about
    it, PyTorch does not always raise; some layers end the process (seen with version 2.13).
    """
    tried = subprocess.run([sys.executable, "-c", TRIAL], capture_output=True, text=True)
    if tried.returncode != 0:
        last = tried.stderr.strip().splitlines()[-1:] or ["no word"]
        raise TengenError(
            f"bfloat16 does not work with PyTorch on this machine ({last[0][:80]}): leave it out"
        )
