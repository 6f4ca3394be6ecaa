"""Peers that a memory is compared with, on the same facts and machine. Each is a `Peer(base_folder)` with
`fit(facts)`, facts being `{"input", "output"}`, and `answers(questions)`; all generate through the engine's own serving
code, on one thread."""
