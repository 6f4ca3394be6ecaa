"""Kinds of subjects: what a memory has several of, such as ships or departments, and the words for them."""
