"""Paper 001: a neural policy in the tree, with a weight that adapts."""
