"""Byte-level BPE in which a word has the same pieces with and without a space before it.

Merges are learned inside words only; finally, the space is merged with a word's first piece ("Ġ" + "Zor" -> "ĠZor"). So " Zorbax" and
"Zorbax" differ in one token that has a twin, and an answer after the assistant's header is tokenized like the words of its context.
Every string round-trips: all bytes are in the vocabulary. Digits stand alone.
"""

import json
from collections import Counter
from pathlib import Path

from tokenizers import (
    AddedToken,
    Regex,
    Tokenizer,
    decoders,
    models,
    pre_tokenizers,
    processors,
    trainers,
)

from .mix import example, lexicon_text
from .text.template import BEGIN, END_OF_TEXT, HEADER, HEADER_END, TURN_END
from .text.values import Voice

SPECIAL = ["<|pad|>", BEGIN, END_OF_TEXT, HEADER, HEADER_END, TURN_END]
PAD_ID, BEGIN_ID, END_ID, HEADER_ID, HEADER_END_ID, TURN_END_ID = range(6)
SPACE = "Ġ"  # the byte of a space in byte-level BPE
# Words and single digits include the preceding space; newlines stay together; punctuation marks are separate.
SPLIT = (
    r"[\r\n]+|'(?:s|t|re|ve|m|ll|d)(?!\p{L})| ?\p{L}+| ?\p{N}| ?[^\s\p{L}\p{N}]|[^\S\r\n]+(?=[^\S\r\n])|\s"
)

CHAT_TEMPLATE = (
    "{{ '<|begin_of_text|>' }}{% for message in messages %}"
    "{{ '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n' + message['content'] | trim + '<|eot_id|>' }}"
    "{% endfor %}{% if add_generation_prompt %}{{ '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{% endif %}"
)


def sample_text(texts: int, seed: int = 1) -> list[str]:
    """Training text of the tokenizer: generated text without the template, and the lexicon's words."""
    voice = Voice(seed)
    lines = []
    for i in range(texts):
        made = example(voice)
        text = made.prefix + "".join(t.prompt + t.answer for b in made.branches for t in b)
        for token in SPECIAL:
            text = text.replace(token, " ")
        lines.append(text)
        if i % 2 == 0:
            lines.append(lexicon_text(voice))
    return lines


def build(pieces: int = 3200, texts: int = 6000, twin_at_least: int = 3) -> Tokenizer:
    """Learns `pieces` merged and single-byte pieces, then adds a twin with a space for each piece that begins words."""
    lines = sample_text(texts)
    words = Tokenizer(models.BPE())
    split = pre_tokenizers.Split(Regex(SPLIT), "isolated")
    # Spaces are removed while learning, so that no merge contains one.
    learn = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(" "), "removed"),
            split,
            pre_tokenizers.ByteLevel(False, use_regex=False),
        ]
    )
    words.pre_tokenizer = learn
    trainer = trainers.BpeTrainer(
        vocab_size=pieces,
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    extra = ["\n\n"] * 50 + [
        "\u2014 \u2013 \u2018 \u2019 \u201c \u201d \u2026 \u20ac \u00a3 \u00e9 \u00e8 \u00fc \u00f6 \u00e4 \u00f1 \u00e7 \u00b0 \u2022"
    ] * 50
    words.train_from_iterator(lines + extra, trainer)
    learned = json.loads(words.to_str())["model"]
    starts: Counter[str] = Counter()  # how often a word follows a space
    for line in lines:
        starts.update(
            chunk[1:] for chunk, _ in split.pre_tokenize_str(line) if chunk.startswith(" ") and chunk.strip()
        )
    first: Counter[str] = Counter()  # how often a piece is the first of such a word
    for word, count in starts.items():
        first[words.encode(word).tokens[0]] += count
    twins = [p for p in learned["vocab"] if first[p] >= twin_at_least and not p.startswith(("Ċ", SPACE))]
    vocab = {token: i for i, token in enumerate(SPECIAL)}
    for piece in [*learned["vocab"], *(SPACE + p for p in twins)]:
        vocab.setdefault(piece, len(vocab))
    merges = [tuple(m) for m in learned["merges"]] + [(SPACE, p) for p in twins]
    tokenizer = Tokenizer(models.BPE(vocab=vocab, merges=merges))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [split, pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.add_special_tokens([AddedToken(t, special=True, normalized=False) for t in SPECIAL])
    # Every training text begins with this token, so a prompt without it is out of distribution.
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"{BEGIN} $A", pair=f"{BEGIN} $A $B", special_tokens=[(BEGIN, BEGIN_ID)]
    )
    return tokenizer


def save(tokenizer: Tokenizer, folder: Path, max_length: int) -> None:
    """The three files that transformers reads."""
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / "tokenizer.json"))
    config = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "bos_token": BEGIN,
        "eos_token": TURN_END,
        "pad_token": "<|pad|>",
        "clean_up_tokenization_spaces": False,
        "model_max_length": max_length,
        "model_input_names": ["input_ids", "attention_mask"],
    }
    (folder / "tokenizer_config.json").write_text(json.dumps(config, indent=2) + "\n")
    (folder / "chat_template.jinja").write_text(CHAT_TEMPLATE)
