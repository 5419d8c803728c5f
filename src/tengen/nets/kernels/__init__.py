"""Feature kernels of Tengen's networks."""
