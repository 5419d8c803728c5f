"""A KataGo network that is not part of the repository."""

import pytest

from tengen.nets import load_net
from tengen.nets.katago import import_net

NET = "g170-b6c96-s175395328-d26788732.bin.gz"


@pytest.fixture(scope="session")
def katago_file(reference_data):
    return reference_data / "nets" / NET


@pytest.fixture(scope="session")
def katago_onnx(katago_file, tmp_path_factory):
    path = tmp_path_factory.mktemp("nets") / "b6c96.onnx"
    import_net(katago_file, path)
    return path


@pytest.fixture(scope="session")
def katago_net(katago_onnx):
    return load_net(katago_onnx)
