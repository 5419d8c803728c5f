"""Training of Tengen's own nets. PyTorch is imported here and nowhere else."""
