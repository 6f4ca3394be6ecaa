"""LlamaIndex as its users run it, over the files of the bench: nodes along Markdown's headings, an index of vectors that is kept on disk, the nearest
nodes of each question. The last line printed is the figures as JSON."""

import json
import os
import sys
import time
from pathlib import Path

import torch
from llama_index.core import SimpleDirectoryReader, VectorStoreIndex
from llama_index.core.node_parser import MarkdownNodeParser
from llama_index.embeddings.huggingface import HuggingFaceEmbedding
from lorekeep.default_embedder import folder as embedder_folder


class Timed(HuggingFaceEmbedding):
    """The embedder, with its processor time counted."""

    def _embed(self, *args, **kwargs):
        started = time.process_time()
        try:
            return super()._embed(*args, **kwargs)
        finally:
            Timed.seconds += time.process_time() - started


Timed.seconds = 0.0


def main(folder: Path, nearest: int) -> None:
    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    questions = json.loads((folder / "questions.json").read_text())
    embedder = Timed(model_name=str(embedder_folder()), embed_batch_size=64)
    embedder.get_text_embedding("ready")
    Timed.seconds = 0.0

    started, cpu = time.perf_counter(), time.process_time()
    nodes = MarkdownNodeParser().get_nodes_from_documents(
        SimpleDirectoryReader(str(folder / "files")).load_data()
    )
    # A node with only a file's title is not a passage.
    nodes = [node for node in nodes if "\n" in node.get_content().strip()]
    index = VectorStoreIndex(nodes, embed_model=embedder)
    index.storage_context.persist(str(folder / "llama"))
    figures = {"passages": len(nodes), "seconds": time.perf_counter() - started}
    figures["cpu"] = time.process_time() - cpu
    figures["beside"] = figures["cpu"] - Timed.seconds

    retriever = index.as_retriever(similarity_top_k=nearest)
    for question in questions[:5]:
        retriever.retrieve(question)
    figures |= {"questions": [], "found": []}
    cpu = time.process_time()
    for question in questions:
        asked = time.perf_counter()
        found = retriever.retrieve(question)
        figures["questions"].append((time.perf_counter() - asked) * 1000)
        figures["found"].append([heading(one.node.get_content()) for one in found])
    figures["cpuQuestions"] = time.process_time() - cpu
    print(json.dumps(figures))


def heading(text: str) -> str:
    return text.strip().split("\n")[0].lstrip("# ")


main(Path(sys.argv[1]), int(sys.argv[2]))
