"""The game: `Position`, `Rules`, `Color`, points and symmetries, on top of compiled kernels."""
