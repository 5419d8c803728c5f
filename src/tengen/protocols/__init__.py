"""Protocols for other programs: GTP, KataGo's JSON analysis protocol, GTP conformance checks."""
