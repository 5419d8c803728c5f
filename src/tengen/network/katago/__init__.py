"""KataGo's nets: reading its files, its input features, and its nets as ONNX models."""
