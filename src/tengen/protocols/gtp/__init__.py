"""The Go Text Protocol, with the extensions of GoGui, KataGo, Leela Zero, KGS and CGOS."""
