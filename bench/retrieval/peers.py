"""LlamaIndex and BM25 over the manuals of the bench: for every question the passages that each finds, as JSON in found.json of the folder."""

import json
import os
import sys
from pathlib import Path

import bm25s
import Stemmer
import torch
from llama_index.core import SimpleDirectoryReader, VectorStoreIndex
from llama_index.core.node_parser import MarkdownNodeParser, SentenceSplitter
from llama_index.embeddings.huggingface import HuggingFaceEmbedding
from lorekeep.default_embedder import folder as embedder_folder


def main(folder: Path, nearest: int) -> None:
    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
    questions = json.loads((folder / "questions.json").read_text())
    documents = SimpleDirectoryReader(str(folder / "files")).load_data()
    embedder = HuggingFaceEmbedding(model_name=str(embedder_folder()), embed_batch_size=64)
    usual = SentenceSplitter().get_nodes_from_documents(documents)
    # Split at headings, at most as long as the input of the embedder.
    small = SentenceSplitter(chunk_size=256, chunk_overlap=32).get_nodes_from_documents(
        MarkdownNodeParser().get_nodes_from_documents(documents)
    )
    found = {
        "LlamaIndex, its defaults": by_vectors(usual, embedder, questions, nearest),
        "LlamaIndex, along headings": by_vectors(small, embedder, questions, nearest),
        "BM25 of LlamaIndex's default passages": by_words(usual, questions, nearest),
        "BM25 of passages along headings": by_words(small, questions, nearest),
    }
    (folder / "found.json").write_text(json.dumps(found))


def by_vectors(nodes, embedder, questions, nearest):
    retriever = VectorStoreIndex(nodes, embed_model=embedder).as_retriever(similarity_top_k=nearest)
    return [[told(one.node) for one in retriever.retrieve(question)] for question in questions]


def by_words(nodes, questions, nearest):
    """LlamaIndex's own BM25, with English stop words and stems."""
    stemmer = Stemmer.Stemmer("english")
    words = {"stopwords": "en", "stemmer": stemmer, "show_progress": False}
    index = bm25s.BM25()
    index.index(bm25s.tokenize([node.get_content() for node in nodes], **words), show_progress=False)
    asked = bm25s.tokenize(questions, **words)
    places, _ = index.retrieve(asked, k=min(nearest, len(nodes)), show_progress=False)
    return [[told(nodes[int(place)]) for place in row] for row in places]


def told(node):
    return {"file": node.metadata["file_name"], "text": node.get_content()}


main(Path(sys.argv[1]), int(sys.argv[2]))
