"""The words that general sentences (clauses.py) are built from: verbs, who acts, on what, how often, how long, in which way."""

from .lexicon import forms

# base, third person, participle
VERBS = [
    forms(v)
    for v in """
use uses used|leave leaves left|keep keeps kept|buy buys bought|order orders ordered|return returns returned|bring brings brought|
store stores stored|check checks checked|clean cleans cleaned|collect collects collected|carry carries carried|wash washes washed|
book books booked|pay pays paid|show shows shown|sign signs signed|send sends sent|print prints printed|change changes changed|
open opens opened|close closes closed|move moves moved|cover covers covered|find finds found|see sees seen|hold holds held|
sell sells sold|make makes made|offer offers offered|serve serves served|provide provides provided|test tests tested|
report reports reported|record records recorded|count counts counted|replace replaces replaced|remove removes removed|
deliver delivers delivered|charge charges charged|need needs needed|want wants wanted|choose chooses chosen|plan plans planned|
update updates updated|save saves saved|write writes written|read reads read|teach teaches taught|visit visits visited|
grow grows grown|feed feeds fed|water waters watered|plant plants planted|burn burns burned|paint paints painted|
rent rents rented|park parks parked|drive drives driven|load loads loaded|fill fills filled|empty empties emptied|cut cuts cut|
cook cooks cooked|bake bakes baked|share shares shared|get gets got|lose loses lost|win wins won|support supports supported|
protect protects protected|control controls controlled|handle handles handled|cancel cancels cancelled|accept accepts accepted|
produce produces produced|share shares shared|exchange exchanges exchanged|follow follows followed|lock locks locked
""".replace("\n", "").split("|")
]  # fmt: skip
ACTORS = [
    "guests",
    "visitors",
    "students",
    "members",
    "employees",
    "drivers",
    "nurses",
    "customers",
    "residents",
    "children",
    "volunteers",
    "players",
    "passengers",
    "patients",
    "parents",
    "teachers",
    "users",
    "travellers",
    "workers",
    "tourists",
    "neighbours",
    "farmers",
    "owners",
    "cyclists",
    "readers",
    "cleaners",
    "managers",
    "engineers",
    "doctors",
    "applicants",
    "suppliers",
    "tenants",
    "guides",
    "sailors",
    "artists",
    "families",
    "beginners",
    "adults",
]
ONE_ACTOR = [
    "company",
    "hotel",
    "school",
    "museum",
    "library",
    "hospital",
    "restaurant",
    "shop",
    "farm",
    "village",
    "club",
    "office",
    "team",
    "bank",
    "council",
    "airline",
    "factory",
    "theatre",
    "university",
    "gallery",
    "station",
    "harbour",
    "clinic",
    "bakery",
    "magazine",
    "newspaper",
    "band",
    "family",
    "committee",
    "owner",
    "manager",
    "director",
    "nurse",
    "driver",
    "captain",
    "teacher",
    "gardener",
    "cook",
    "engineer",
    "artist",
    "farmer",
    "guide",
    "porter",
]
GOODS = [
    "tickets",
    "keys",
    "forms",
    "receipts",
    "meals",
    "lessons",
    "parcels",
    "claims",
    "badges",
    "samples",
    "plants",
    "windows",
    "bicycles",
    "cars",
    "boats",
    "towels",
    "coats",
    "bags",
    "letters",
    "books",
    "films",
    "songs",
    "photos",
    "maps",
    "tools",
    "machines",
    "chairs",
    "tables",
    "shoes",
    "gloves",
    "helmets",
    "bottles",
    "boxes",
    "flowers",
    "trees",
    "vegetables",
    "apples",
    "orders",
    "invoices",
    "passwords",
    "files",
    "messages",
    "reports",
    "contracts",
    "reservations",
    "drinks",
    "snacks",
    "cakes",
    "bread",
    "coffee",
    "milk",
    "water",
    "fuel",
    "paper",
    "waste",
    "glass",
    "clothes",
    "furniture",
    "equipment",
    "medicine",
    "tablets",
    "bandages",
    "instruments",
    "engines",
    "batteries",
    "cables",
    "doors",
    "lamps",
    "signs",
    "seats",
    "rooms",
    "tents",
    "blankets",
    "pillows",
    "paintings",
    "stamps",
    "coins",
    "toys",
    "games",
    "results",
    "figures",
    "names",
    "addresses",
    "complaints",
    "questions",
    "documents",
    "copies",
    "discounts",
]
MODALS = [
    "can",
    "must",
    "should",
    "may",
    "will",
    "can",
    "must",
    "cannot",
    "need to",
    "have to",
]
OFTEN = """every day|every week|every month|twice a day|once a week|once a month|three times a year|every Monday|every morning|
every evening|every ten minutes|every half hour|on weekdays|at weekends|four nights a week|once a year|every summer|every two years|
every spring|twice a month""".replace("\n", "").split("|")  # fmt: skip
LONG = """for two hours|for up to a week|for ten minutes|for more than a year|for at least an hour|all night|until noon|until the end of
 the month|for three days|for half an hour|during the winter|all year round|for as long as they like""".replace(
    "\n", ""
).split("|")
WAYS = """by phone|by email|by post|in cash|with a card|by hand|online|at the desk|through the website|without a ticket|with a key|
with soap and warm water|in groups of four|free of charge|at half price|with great care|on paper|in person""".replace(
    "\n", ""
).split("|")
CONDITIONS = """the light is red|the alarm rings|it rains|the door is locked|the machine stops|the room is empty|you are late|
you feel ill|the parcel is heavy|the printer is broken|the code does not work|the leaves turn yellow|the water is cold|
the shop is closed|you lose your badge|the screen stays black|the order is wrong|the train is late|there is a fire|
the battery is low|you need help|the wind is strong|the baby cries|the price changes|you arrive after midnight""".replace(
    "\n", ""
).split("|")
