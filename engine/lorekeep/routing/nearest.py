"""Nearest-neighbour search: exact where that is as fast, otherwise through the FAISS index that the job
requests. Results of an index are ranked again by the exact vectors."""

import math

import numpy as np

# Up to this number of vectors, exact search takes about as long as an approximate one
# (docs/decisions/0004-memory-tuning.md).
WHOLE = 20_000
# Minimum number of results requested from an approximate index, and multiple of the wanted number.
_MIN_HITS, _FACTOR = 256, 16


class Nearest:
    def __init__(self, vectors_N_D: np.ndarray, arguments: dict | None = None):
        self.vectors_N_D = vectors_N_D
        self.index = None
        if len(vectors_N_D) > WHOLE and arguments and arguments["index_method"] != "IndexFlatL2":
            self.index = build_index(np.asarray(vectors_N_D, dtype=np.float32), arguments)

    def __call__(self, vector_D: np.ndarray, count: int) -> list[tuple[int, float]]:
        if not len(self.vectors_N_D):
            return []
        if self.index is None:
            found = np.arange(len(self.vectors_N_D))
            scores = self.vectors_N_D @ vector_D.astype(self.vectors_N_D.dtype)
        else:
            _, near = self.index.search(vector_D[None].astype(np.float32), max(_MIN_HITS, count * _FACTOR))
            found = near[0][near[0] >= 0]
            scores = self.vectors_N_D[found] @ vector_D.astype(self.vectors_N_D.dtype)
        count = min(count, len(found))
        if not count:
            return []
        top = np.argpartition(-scores, count - 1)[:count]
        top = top[np.lexsort((found[top], -scores[top]))]
        return [(int(found[i]), float(scores[i])) for i in top]


def build_index(vectors_N_D: np.ndarray, arguments: dict):
    """Index types by their FAISS names. Vectors have length one, so distance and similarity rank alike."""
    import faiss

    faiss.omp_set_num_threads(1)
    dimensions, method = vectors_N_D.shape[1], arguments["index_method"]
    given, _ = adjusted(arguments, len(vectors_N_D), dimensions)
    m, bits, hnsw = given["index_pq_m"], given["index_pq_nbits"], given["index_hnsw_m"]
    if method == "IndexIVFPQ":
        index = faiss.IndexIVFPQ(faiss.IndexFlatL2(dimensions), dimensions, given["index_ivf_nlist"], m, bits)
        index.nprobe = given["index_ivf_nprobe"]
    elif method == "IndexHNSWPQ":
        index = faiss.IndexHNSWPQ(dimensions, m, hnsw, bits)
    elif method == "IndexHNSWFlat":
        index = faiss.IndexHNSWFlat(dimensions, hnsw)
    elif method == "IndexPQ":
        index = faiss.IndexPQ(dimensions, m, bits)
    else:
        index = faiss.IndexFlatL2(dimensions)
    if isinstance(index, faiss.IndexHNSW):
        index.hnsw.efConstruction = given["index_hnsw_efConstruction"]
        index.hnsw.efSearch = given["index_hnsw_efSearch"]
    if not index.is_trained:
        index.train(vectors_N_D)
    index.add(vectors_N_D)
    return index


def adjusted(arguments: dict, count: int, dimensions: int) -> tuple[dict, list[str]]:
    """Parameters adjusted to the number of vectors, and warnings about unsuitable ones."""
    given, warnings = dict(arguments), []
    method = given["index_method"]
    if count <= WHOLE:
        if method != "IndexFlatL2":
            warnings.append(
                f"index_method {method}: {count} keys are searched exactly, which is as fast; its parameters have no effect."
            )
        return given, warnings
    if method == "IndexIVFPQ":
        max_lists = max(1, count // 39)  # FAISS wants 39 vectors for every list
        if given["index_ivf_nlist"] > max_lists:
            best = min(max_lists, round(4 * math.sqrt(count)))
            warnings.append(
                f"index_ivf_nlist {given['index_ivf_nlist']} is too many for {count} keys; {best} are used."
            )
            given["index_ivf_nlist"] = best
        given["index_ivf_nprobe"] = min(given["index_ivf_nprobe"], given["index_ivf_nlist"])
    if "PQ" in method:
        m = given["index_pq_m"]
        if dimensions % m:
            best = max(d for d in range(1, m + 1) if dimensions % d == 0)
            warnings.append(
                f"index_pq_m {m} does not divide the {dimensions} dimensions of the keys; {best} is used."
            )
            given["index_pq_m"] = best
        if 2 ** given["index_pq_nbits"] * 39 > count:
            best = max(1, int(math.log2(max(2, count // 39))))
            warnings.append(
                f"index_pq_nbits {given['index_pq_nbits']} needs more than {count} keys; {best} is used."
            )
            given["index_pq_nbits"] = best
    return given, warnings
