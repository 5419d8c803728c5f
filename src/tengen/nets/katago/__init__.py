"""Import of KataGo networks: file format, input features, conversion to ONNX."""
