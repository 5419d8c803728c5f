"""Feature kernels of KataGo's networks."""
