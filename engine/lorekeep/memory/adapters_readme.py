"""The README.md of an export for another program: how to load it, how a question finds its adapter, and what
is lost."""

_LOADING_SECTIONS = {
    "vllm": """## In vLLM

    VLLM_PLUGINS=lora_filesystem_resolver VLLM_LORA_RESOLVER_CACHE_DIR=/path/to/this/folder/adapters \\
    VLLM_ALLOW_RUNTIME_LORA_UPDATING=true vllm serve {base} --enable-lora --max-lora-rank {rank}

The name of a folder in `adapters/` is then a model that can be asked. It is the hash of its content: under one
name there is never other weight, so that vLLM's caches cannot be stale. The resolver compares the name of the
base: `base_model_name_or_path` is {base}, which has to be what `vllm serve` was given. An adapter changes the MLP
of the last layer only, and is an ordinary LoRA: keys and values are the base's, and so are all states below.
Loading adapters at run time is an open door for whoever reaches the port: keep it in a private network.
""",
    "gguf": """## In llama.cpp

    llama-server -m base.gguf --lora-init-without-apply --lora adapters/NAME.gguf --lora adapters/OTHER.gguf ...

`GET /lora-adapters` lists them with their numbers, and a request chooses one: `"lora": [{{"id": 0, "scale": 1.0}}]`.
Adapters change the MLP of the last layer only. The base as GGUF: `base.gguf` where the export was asked for it
(`--with-base`), else what llama.cpp's own converter makes of {base}; it has to be the same base, and a
base in fewer bits says some facts wrongly, since they were verified on the weights that were here.
""",
}

_TEMPLATE = """# Facts of {name} as adapters

One adapter an expert, {count} in all; `adapters.json` says which facts each of them recites, and which of those were
recalled when it was verified (`recalled`). A fact that was not recalled is never said by Lorekeep; do not ask for it.

{loaded}
## Which adapter answers a question

The router and its gate stay with Lorekeep. An adapter that is asked anything but its own questions answers with a
fact all the same, so let the router decide. Over HTTP:

    curl LOREKEEP/v1/completions -H "Authorization: Bearer KEY" -H "Content-Type: application/json" \\
      -d '{{"model_name": "{name}", "prompt": "THE QUESTION", "max_tokens": 1, "explain": true}}'

- `memory.outcome` is `recite`: take `memory.facts[0].input`, find it in `adapters.json`, and ask that adapter **this
  taught question**, alone in a conversation, with temperature 0. What was verified is this reading.
- anything else (`ground`, `documents`, `unknown`, `base`): ask Lorekeep for the whole answer, or your base.

## What is lost

- the gate, near misses, follow-ups, answers put together from facts, JSON by fields, times of validity, policies;
- the verification: kernels of another program may choose another token. Ask each fact once and compare;
- bits: the same questions may be answered with other bits beside other requests.
"""


def readme(program: str, name: str, base: str, count: int, rank: int) -> str:
    loaded = _LOADING_SECTIONS[program].format(base=base, rank=rank)
    return _TEMPLATE.format(name=name, base=base, count=count, loaded=loaded)
