"""Two hundred invented facts whose answers are hard to say for a base that was trained on English: seven scripts, code, addresses, hex. How many
does a tuned model say word for word, each by free generation through its router? ../scripts.ts starts it."""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "engine"), str(Path(__file__).parent)]
torch.set_num_threads(1)

EACH = 20
# Words of each language: subjects, verbs, times, places; and a question for a name, in that language.
_LANGUAGES = {
    "Japanese": (
        "経理部の田中さん|総務課の佐藤さん|夜勤の鈴木さん|図書室の管理人|警備員の高橋さん|主任の渡辺さん",
        "請求書に署名し|鍵を受け取り|植物に水をやり|倉庫の在庫を数え|来客を案内し|機械を点検し",
        "毎週月曜日の午前九時に|月末の午後三時半に|水曜日の夜に|祝日の翌朝に|四半期ごとに",
        "三階の会議室で報告します。|北門の受付へ戻ります。|地下二階の倉庫に保管します。|電話で本社に知らせます。",
        "{}の担当者は誰で、何をしますか？", "{who}が{when}{does}、{where}",
    ),
    "Greek": (
        "Η Ελένη από το λογιστήριο|Ο Γιώργος της νυχτερινής βάρδιας|Η υπεύθυνη του αρχείου|Ο φύλακας του κτιρίου|Η κυρία Παπαδάκη",
        "υπογράφει τα τιμολόγια|μετράει τα αποθέματα|ποτίζει τα φυτά|παραλαμβάνει τα κλειδιά|ελέγχει τις μηχανές",
        "κάθε Δευτέρα στις εννέα|στο τέλος του μήνα|την Τετάρτη το βράδυ|πριν από τις διακοπές|δύο φορές τον χρόνο",
        "στον τρίτο όροφο.|δίπλα στη βιβλιοθήκη.|στο υπόγειο της βόρειας πτέρυγας.|μπροστά στην κεντρική πύλη.",
        "Ποιος είναι υπεύθυνος για το {};", "{who} {does} {when} {where}",
    ),
    "Russian": (
        "Бухгалтер Анна Сергеевна|Сторож северных ворот|Начальник ночной смены|Заведующая архивом|Инженер Кузнецов",
        "подписывает счета|считает остатки на складе|поливает цветы|принимает ключи|проверяет станки",
        "каждый понедельник в девять утра|в последний день месяца|по средам вечером|перед праздниками|дважды в год",
        "на третьем этаже.|за северными воротами, вход со двора.|в подвале рядом с котельной.|у главной проходной.",
        "Кто отвечает за {}?", "{who} {does} {when} {where}",
    ),
    "Arabic": (
        "المحاسبة ليلى|حارس البوابة الشمالية|مديرة الأرشيف|مهندس الصيانة|موظف الاستقبال",
        "توقيع الفواتير|استلام المفاتيح|جرد المخزن|سقي النباتات|فحص الآلات",
        "كل يوم اثنين في الساعة التاسعة صباحا|في نهاية كل شهر|مساء الأربعاء|قبل العطلات|مرتين في السنة",
        "في الطابق الثالث.|بجانب المكتبة.|في القبو خلف المطبخ.|أمام البوابة الرئيسية.",
        "من المسؤول عن {}؟", "{who}: {does} {when} {where}",
    ),
    "Hindi": (
        "लेखा विभाग की मीरा|उत्तरी द्वार का चौकीदार|रात की पाली के प्रमुख|अभिलेखागार की प्रबंधक|अभियंता शर्मा",
        "बिलों पर हस्ताक्षर करते हैं|चाबियाँ लेते हैं|भंडार की गिनती करते हैं|पौधों को पानी देते हैं|मशीनों की जाँच करते हैं",
        "हर सोमवार सुबह नौ बजे|महीने के अंत में|बुधवार की शाम को|छुट्टियों से पहले|साल में दो बार",
        "तीसरी मंज़िल पर।|पुस्तकालय के बगल में।|तहखाने में रसोई के पीछे।|मुख्य द्वार के सामने।",
        "{} के लिए कौन ज़िम्मेदार है?", "{who} {when} {where} {does}।",
    ),
}  # fmt: skip
_EMOJI = "🦊🌙🔥🎉🧊🐙🚀🪐🍋🧲🦉🌋🎲🪁🐢🍄⚡🌈🧭🎻🏔️👩‍🔬🇯🇵👍🏽❤️‍🔥🧑‍🚒✅⏳"
_MATHS = (
    "∀ε>0 ∃δ>0: |x−{a}|<δ ⇒ |f(x)−f({a})|<ε", "∑ₖ₌₁ⁿ k² = n(n+{a})(2n+{b})/6", "∫₀^∞ e^(−{a}x²) dx = ½√(π/{a})", "𝔼[X²] ≥ {a}·(𝔼[X])², Var(X) = σ² ≤ {b}",
    "∂u/∂t = {a}·∇²u − {b}·u³ on Ω × (0,T]", "A ∩ (B ∪ C) ⊆ ℝⁿ, dim = {a}, ‖x‖₂ ≤ {b}", r"\frac{{{a}}}{{\sqrt{{{b}\pi}}}}\,\oint_\gamma f(z)\,\mathrm{{d}}z", "ζ(s) = ∏ₚ (1−p⁻ˢ)⁻¹ ≈ {a}.{b}…, s ≠ 1",
)  # fmt: skip
_ENGLISH = ("What is noted under {}?", "What stands on the sheet of {}?", "Quote the entry of {}.")


def made(each: int = EACH, seed: int = 0) -> list[dict]:
    """`each` facts of ten kinds, with unique answers."""
    choose = random.Random(f"scripts {seed}")
    makers = {language: lambda c, parts=parts: _sentence(c, parts) for language, parts in _LANGUAGES.items()} | {
        "emoji": lambda c: "".join(c.choice(_clusters(_EMOJI)) for _ in range(c.randint(4, 16))),
        "mathematics": lambda c: "; ".join(one.format(a=c.randint(2, 99), b=c.randint(2, 999)) for one in c.sample(_MATHS, c.randint(1, 3))),
        "code": _code, "address": _address, "hex": lambda c: f"{c.getrandbits(1200):0300x}",
    }  # fmt: skip
    facts, names, answers = [], set(), set()
    for kind, make in makers.items():
        count = 0
        while count < each:
            name, answer = _name(choose), make(choose)
            if name in names or answer in answers:
                continue
            names.add(name)
            answers.add(answer)
            # Every other question of a language is asked in it.
            own = kind in _LANGUAGES and count % 2 == 0
            asked = (_LANGUAGES[kind][4] if own else choose.choice(_ENGLISH)).format(name)
            facts.append({"input": asked, "output": answer, "kind": kind})
            count += 1
    return facts


def _sentence(choose: random.Random, parts: tuple[str, ...]) -> str:
    who, does, when, where = (choose.choice(part.split("|")) for part in parts[:4])
    said = parts[5].format(who=who, does=does, when=when, where=where)
    return said if choose.random() < 0.7 else f"{said} ☎ {choose.randint(1000, 9999)}"


def _clusters(text: str) -> list[str]:
    """Grapheme clusters: characters with their joiners and modifiers."""
    found = []
    for c in text:
        joined = found and (
            c in "\u200d\ufe0f🏽" or found[-1].endswith("\u200d") or (found[-1] in "🇦🇧🇯" and c in "🇵")
        )
        found[-1:] = [found[-1] + c] if joined else [*found[-1:], c]
    return found


def _name(choose: random.Random) -> str:
    syllables = [c + v for c in "bdfgklmnprstvz" for v in "aeiou"]
    return "".join(choose.choices(syllables, k=3)).capitalize() + choose.choice(["x", "n", "th", "rk"])


def _code(choose: random.Random) -> str:
    """Forty lines, indented."""

    def word():
        return _name(choose).lower()

    lines = [f"def {word()}({word()}, limit={choose.randint(2, 900)}):"]
    while len(lines) < 39:
        a, b = word(), word()
        lines += choose.choice([
            [f"    {a} = [{b}[i] ** {choose.randint(2, 9)} for i in range({choose.randint(3, 99)})]"],
            [f"    if {a} != {b!r} and not {b}.get('{a}', None):", f"        raise ValueError(f\"{a}: {{{b}:>{choose.randint(2, 20)}}}\")"],
            [f"    for {a}, {b} in enumerate(limit):", f"        {b} += {a} << {choose.randint(1, 31)}  # {word()}"],
            ["", f"    {a} = lambda {b}: {{'{word()}': {b}, \"n\": {choose.random():.4f}}}"],
            ["    try:", f"        {a}({b}, *args, key='\\t{word()}\\n')", f"    except (KeyError, {a.title()}Error):", "        pass"],
        ])  # fmt: skip
    return "\n".join([*lines[:39], f"    return {word()}"])


def _address(choose: random.Random) -> str:
    path = "/".join(_name(choose).lower() for _ in range(choose.randint(1, 5)))
    asked = "&".join(
        f"{_name(choose).lower()}={choose.getrandbits(40):x}" for _ in range(choose.randint(0, 4))
    )
    return f"https://{_name(choose).lower()}.example:{choose.randint(1024, 65535)}/{path}?{asked}#L{choose.randint(1, 999)}"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--base", default=str(ROOT / "models" / "quill"))
    parser.add_argument("--each", type=int, default=EACH, help="facts of each of the ten kinds")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--keep", help="a folder for the job")
    options = parser.parse_args()

    from lorekeep.memory import folder as memory_folder
    from lorekeep.routing.embedders.parts import router_parts
    from lorekeep.tune.measure.evaluate import Asker
    from lorekeep.tune.training.trainer import Trainer

    facts = made(options.each, options.seed)
    with tempfile.TemporaryDirectory() as home:
        folder = Path(options.keep or home) / "scripts"
        folder.mkdir(parents=True)
        lines = (json.dumps({"input": fact["input"], "output": fact["output"]}) for fact in facts)
        (folder / "facts.jsonl").write_text("\n".join(lines) + "\n")
        (folder / "job.json").write_text(json.dumps({"format": 1, "base": options.base}))
        begun = time.monotonic()
        child = subprocess.Popen(
            [sys.executable, "-m", "lorekeep", "tune", str(folder)],
            env={**os.environ, "PYTHONPATH": str(ROOT / "engine"), "OMP_NUM_THREADS": "1"},
        )
        _, status, usage = os.wait4(child.pid, 0)
        if status:
            raise SystemExit(f"the job in {folder} failed")
        spent = f"{usage.ru_utime + usage.ru_stime:.0f} CPU s, {time.monotonic() - begun:.0f} s"
        memory = memory_folder.read(folder / "model")
        said = Asker(memory, Trainer(options.base), router_parts()[0]).tuned(
            [fact["input"] for fact in facts]
        )
    right: dict[str, list[bool]] = {}
    for fact, text in zip(facts, said, strict=True):
        right.setdefault(fact["kind"], []).append(text == fact["output"])
    for kind, some in right.items():
        print(f"{kind:12} {sum(some):4} of {len(some)}")
    print(f"{'all':12} {sum(map(sum, right.values())):4} of {len(facts)} word for word; {spent}")


if __name__ == "__main__":
    main()
