"""`python engine/probes/worker`: Python searches this folder for modules, which holds the package and nothing else."""
from __future__ import annotations

import os

if __name__ == "__main__":
    parent = os.getppid()  # read before the import, which takes seconds and in which the parent may end

    from memorymark_worker.main import main

    main(parent)
