"""Training of Tengen's networks. PyTorch is imported only in this package."""
