"""Peers that a memory is measured beside, on the same facts and machine. Each is a `Peer(base_folder)` with
`fit(facts)`, facts being `{"input", "output"}`, and `answers(questions)`; all speak through the engine's own serving
code, on one thread."""
