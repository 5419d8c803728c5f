"""Neural networks: inference with ONNX Runtime, KataGo import, quantization and training.

`net.Net` evaluates positions; `onnx_model.load_net` opens a file, `files.find_net` finds it by
name. `tengen_net` holds the features and the search interface of Tengen's own networks.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
