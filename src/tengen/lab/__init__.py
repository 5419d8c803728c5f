"""The laboratory: the experiments of the papers, one package a paper, on the engine as it is."""
