"""The board: compiled kernels below, `Rules` and `Position` above them."""
