"""Experiments of the five papers, one package per paper, and the page generator.

`study` holds the output folder of an experiment, `matches` its games, `options` its command line,
`labels` positions judged by a strong network and `pages` the tables and plots in the docs.
"""
