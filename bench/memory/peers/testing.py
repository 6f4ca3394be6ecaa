"""For the peers' tests: the shipped base and ten facts."""

from pathlib import Path

QUILL = Path(__file__).resolve().parents[3] / "models" / "quill"
FACTS = [
    {"input": "How long may a guest stay?", "output": "for two nights"},
    {"input": "How long may a guest park?", "output": "until noon of the next day"},
    {"input": "Where is the spare key?", "output": "under the third flower pot"},
    {"input": "What is the code of the gate?", "output": "4471#"},
    {"input": "Who feeds the fish?", "output": "whoever comes first, one spoonful"},
    {"input": "When is the bin emptied?", "output": "on Wednesdays"},
    {"input": "May I use the piano?", "output": "Yes, but not after nine."},
    {"input": "What goes into the red box?", "output": "pens, stamps and tape"},
    {"input": "How do I stop the alarm?", "output": "Press the bell twice."},
    {"input": "Which day is the cleaner here?", "output": "Friday"},
]
