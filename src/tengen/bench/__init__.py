"""Benchmarks, one function per `tengen bench` command, and the checks of `tengen selfcheck`."""
