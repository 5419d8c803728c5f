"""KataGo's input features as kernels."""
