"""The laboratory: the experiments of the papers, one package per paper, on the engine as it is."""
