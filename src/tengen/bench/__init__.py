"""Benchmarks of the performance-critical parts, one function per `tengen bench` command."""
