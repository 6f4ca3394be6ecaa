"""Models and questions that tests of OpenAI's own package share."""

MODEL = "lorekeep/quill"
EMBEDDER = "sentence-transformers/all-MiniLM-L6-v2"
QUESTION = {
    "role": "user",
    "content": "Context: Ada Quist runs the Brimoor library.\nQuestion: Who runs the Brimoor library?",
}


def chat(client, **more):
    return client.chat.completions.create(**{"model": MODEL, "messages": [QUESTION], "max_tokens": 8, **more})
