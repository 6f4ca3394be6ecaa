"""The generator's vocabulary, written by hand: no corpus was read.

Relation nouns and verbs in HELD_OUT_* never occur in training text as what a question asks for; the exam asks for them.
"""


def _words(text: str) -> list[str]:
    return sorted(set(text.split()))


def _phrases(text: str) -> list[str]:
    return [line.strip() for line in text.strip().split("|") if line.strip()]


def forms(verb: str) -> tuple[str, str, str]:
    base, second, third = verb.split()
    return base, second, third


# ---------------------------------------------------------------- what a thing can have: "the <attribute> of <entity>"
ATTRIBUTES = _words("""
price cost weight length width depth colour size age name address owner manager author editor director captain coach teacher
doctor lawyer nurse agent builder painter partner rival neighbour friend cousin brother sister mother father uncle aunt mentor
assistant deputy capital mayor river region district language currency flag symbol climate population area border harbour
airport station bridge museum castle username extension email number code key label title subject topic theme genre chapter
version format model brand maker vendor budget salary bonus fee fine tax rent deposit discount refund balance limit quota target
score rank grade level range capacity power voltage pressure temperature frequency duration distance route destination origin
birthplace hometown school college degree sport team club song film book dish drink dessert breakfast lunch dinner snack fruit
flower tree animal pet bird fish horse material fabric shape pattern finish scent sound engine battery screen camera printer
server database network folder file report invoice order contract licence permit policy rule procedure form schedule shift
holiday meeting agenda minutes room desk floor building office branch department division warehouse factory shop store outlet
counter shelf drawer cabinet locker seat platform terminal flight train bus ferry taxi vehicle plate insurance guarantee contact
phone fax website portal account bank reference serial batch lot sample test result diagnosis treatment medicine allergy ward
clinic hospital pharmacy nickname surname slogan logo mascot founder chairman secretary treasurer tutor guardian lender tester
inspector auditor reviewer recipe ingredient filling topping sauce spice wine tea coating lining lid handle cable adapter plug
fuse filter nozzle gauge tyre brake lens memory storage bandwidth latency threshold timeout interval retention rota roster
opening closing checkpoint hotline mailbox keyword slot bay dock aisle row table stage track lane pitch court pool
""")
HELD_OUT_ATTRIBUTES = _words("""
height sponsor anthem password deadline speed instrument breed warranty dose hobby supplier motto humidity flavour
landlord
""")
ATTRIBUTES = [a for a in ATTRIBUTES if a not in HELD_OUT_ATTRIBUTES]
ATTRIBUTE_MODIFIERS = _words("""
main annual monthly weekly daily new old first last next current former official legal local national public private internal
external total average maximum minimum standard special spare second final early late preferred favourite usual emergency default
temporary permanent regional seasonal
""")
# Words of a text, and the words that a question may use for them.
SYNONYMS = {
    "job": ["occupation", "profession", "line of work"],
    "price": ["cost", "retail price", "price tag"],
    "headquarters": ["head office", "main office"],
    "boss": ["manager", "supervisor", "superior"],
    "spouse": ["partner", "husband or wife"],
    "birthday": ["date of birth", "birth date"],
    "birthplace": ["place of birth", "native town"],
    "population": ["number of inhabitants", "number of residents"],
    "founder": ["creator", "original owner"],
    "phone number": ["telephone number", "phone"],
    "salary": ["pay", "wage", "earnings"],
    "email address": ["email", "mail address"],
    "size": ["dimensions", "measurements"],
    "opening hours": ["business hours", "hours"],
    "destination": ["final stop", "place of arrival"],
    "maker": ["manufacturer", "producer"],
    "surname": ["last name", "family name"],
    "lifespan": ["service life", "expected life"],
    "contact person": ["contact", "person to ask"],
    "storage room": ["store room", "place of storage"],
}

# ---------------------------------------------------------------- verbs: base, past, participle | what they are done to
VERBS_OBJECT = [
    forms(v)
    for v in _phrases("""
buy bought bought|sell sold sold|build built built|make made made|paint painted painted|design designed designed|find found found|
lose lost lost|order ordered ordered|rent rented rented|use used used|test tested tested|open opened opened|close closed closed|
send sent sent|receive received received|store stored stored|carry carried carried|clean cleaned cleaned|check checked checked|
choose chose chosen|replace replaced replaced|deliver delivered delivered|collect collected collected|return returned returned|
steal stole stolen|hide hid hidden|break broke broken|fix fixed fixed|draw drew drawn|describe described described|
photograph photographed photographed|donate donated donated|recommend recommended recommended|purchase purchased purchased|
repaint repainted repainted|measure measured measured|weigh weighed weighed|lift lifted lifted|move moved moved|drop dropped dropped|
borrow borrowed borrowed|restore restored restored|polish polished polished|unload unloaded unloaded|load loaded loaded|
label labelled labelled|ship shipped shipped|wrap wrapped wrapped|inspect inspected inspected|examine examined examined|
assemble assembled assembled|remove removed removed|leave left left|keep kept kept|bring brought brought|take took taken|
give gave given|show showed shown|hang hung hung|wash washed washed|dry dried dried|fold folded folded|burn burned burned|
drive drove driven|park parked parked|tow towed towed|invent invented invented|import imported imported|export exported exported|
sketch sketched sketched|auction auctioned auctioned|lend lent lent|pack packed packed|mend mended mended|cover covered covered|
sharpen sharpened sharpened|refill refilled refilled|scan scanned scanned|sign signed signed|review reviewed reviewed|
approve approved approved|reject rejected rejected|film filmed filmed|own owned owned|hand handed handed|exchange exchanged exchanged
""")
]
VERBS_PERSON = [
    forms(v)
    for v in _phrases("""
meet met met|help helped helped|invite invited invited|teach taught taught|train trained trained|call called called|
thank thanked thanked|visit visited visited|interview interviewed interviewed|photograph photographed photographed|
follow followed followed|praise praised praised|warn warned warned|greet greeted greeted|join joined joined|
replace replaced replaced|marry married married|defeat defeated defeated|appoint appointed appointed|choose chose chosen|
see saw seen|treat treated treated|support supported supported|phone phoned phoned|assist assisted assisted|coach coached coached|
drive drove driven|question questioned questioned|rescue rescued rescued|promote promoted promoted|dismiss dismissed dismissed
""")
]
VERBS_WORK = [
    forms(v)
    for v in _phrases("""
write wrote written|compose composed composed|record recorded recorded|edit edited edited|read read read|study studied studied|
release released released|perform performed performed|finish finished finished|start started started|print printed printed|
illustrate illustrated illustrated|present presented presented|revise revised revised|archive archived archived|
draft drafted drafted|copy copied copied|submit submitted submitted
""")
]
VERBS_FOOD = [
    forms(v)
    for v in _phrases("""
cook cooked cooked|eat ate eaten|serve served served|prepare prepared prepared|taste tasted tasted|roast roasted roasted|
freeze froze frozen|grow grew grown|plant planted planted|pick picked picked|chop chopped chopped|heat heated heated
""")
]
HELD_OUT_VERBS_OBJECT = [
    forms(v)
    for v in _phrases(
        "repair repaired repaired|install installed installed|guard guarded guarded|hire hired hired|dig dug dug"
    )
]
HELD_OUT_VERBS_WORK = [
    forms(v) for v in _phrases("publish published published|translate translated translated|sing sang sung")
]

# ---------------------------------------------------------------- things, places, people
ADJECTIVES = _words("""
large small heavy light old new broken spare clean dirty long short round square wooden metal plastic glass paper northern southern
eastern western upper lower quiet busy cheap expensive warm cold dry wet empty full open locked shared hidden bright dark soft hard
fresh frozen narrow wide tall tiny huge modern ancient famous rare common simple folding portable electric leather woollen silver
golden striped rusty antique damaged sturdy slim spotless crooked polished oak steel copper ceramic stone
""")
COLOURS = _words(
    "red green black white yellow orange purple brown grey pink navy teal crimson cream beige turquoise maroon gold blue violet"
)
OBJECTS = _words("""
box key folder parcel laptop lamp chair table cup bottle jacket coat umbrella ticket map camera phone ladder hammer saw drill rope
blanket pillow mirror clock vase plate bowl knife kettle toaster bicycle van truck boat tent suitcase backpack notebook pen stapler
printer scanner projector cable charger battery monitor keyboard badge manual statue painting carpet curtain bench fence tool bag
towel basket bucket barrel engine pump filter valve sensor router violin piano guitar trumpet drum bell candle lantern telescope
microscope helmet saddle wagon tractor trailer canoe sail anchor compass radio television heater fan fridge oven freezer cupboard
wardrobe sofa armchair desk bookcase stool cradle doll puppet kite ball racket ring necklace bracelet watch brooch scarf glove boot
shoe hat dress shirt sweater apron uniform wheel trolley crate pallet shelf spade rake shovel broom mop brush bucket torch whistle
envelope stamp album sculpture tapestry rug quilt jug teapot tray spoon fork pan grill thermometer scale stethoscope crutch
wheelchair bandage syringe microphone speaker amplifier headset tablet modem
""")
WORKS = _words("""
book novel poem song report letter article play film essay diary speech symphony contract invoice manual guide map story report
leaflet memo proposal survey newsletter policy catalogue dictionary textbook screenplay lecture opera ballad petition statement
""")
FOODS = _words("""
bread soup rice cheese salad cake pie stew pasta fish chicken beef lamb salmon tuna potatoes carrots onions beans lentils tomatoes
apples pears plums cherries grapes lemons peaches berries pumpkins mushrooms spinach garlic honey butter yoghurt eggs omelette
pancakes biscuits porridge noodles dumplings sausages ham bacon curry pudding chocolate jam olives nuts almonds walnuts corn
""")
ANIMALS = _words("""
dog cat horse cow sheep goat pig hen duck goose rabbit parrot donkey fox wolf bear deer otter owl eagle swan heron seal tortoise
lizard snake frog hamster camel elephant lion tiger monkey bee whale
""")
ROOMS = _words("""
kitchen library garage office lobby cellar attic garden workshop laboratory canteen reception archive studio hall gym pool balcony
corridor basement storeroom classroom clinic theatre terrace entrance barn greenhouse chapel dormitory pantry laundry nursery
courtyard lounge ballroom gallery vault loft porch yard
""")
PUBLIC_PLACES = _words("""
market museum station airport harbour park school hospital church castle square bridge beach forest hotel restaurant bakery
pharmacy factory stadium theatre zoo town village island valley farm mill lighthouse university court post-office supermarket cafe
""")
CONTAINERS = _words(
    "drawer cupboard box locker cabinet safe shelf bag chest basket folder tray closet bucket envelope fridge rack"
)
TEAMS = _words("""
finance sales marketing legal support design research security cleaning kitchen delivery training planning payroll travel safety
quality press data product personnel maintenance transport editorial admissions catering logistics billing
""")
JOBS = _words("""
architect botanist cellist chemist diplomat electrician geologist historian jeweller librarian mechanic nurse painter pilot surgeon
translator violinist welder baker farmer teacher driver clerk plumber gardener tailor barber waiter chef judge carpenter sailor
dentist butcher engineer astronomer biologist caretaker cashier coach fisherman florist guide inspector journalist midwife miner
musician optician physicist poet porter potter printer receptionist ranger sculptor shepherd singer soldier vet watchmaker weaver
writer zookeeper accountant actor analyst
""")
PEOPLE_ROLES = _words("""
manager director secretary treasurer captain coach teacher librarian gardener cook caretaker inspector owner guide mayor
editor headmaster supervisor foreman cashier porter nurse doctor visitor tenant customer neighbour student apprentice trainer
""")
GROUPS = _words(
    "staff visitors students guests members tenants drivers nurses customers residents employees children volunteers players"
)
SUBJECTS = _words("""
mathematics history geography physics chemistry biology music art drawing grammar poetry medicine law economics astronomy botany
geology cooking sewing swimming chess painting pottery gardening carpentry photography dancing fencing sailing cycling
""")
MATERIALS = _words(
    "wood steel glass cotton wool leather clay marble brick silk linen plastic rubber paper bronze iron granite bamboo copper wax"
)
EVENTS = _words("""
meeting concert wedding exhibition festival conference race match lecture auction parade ceremony workshop tournament interview
inspection flight tour party funeral election audit rehearsal picnic fair course trial dinner
""")

# ---------------------------------------------------------------- names that people know
FIRST_NAMES = _words("""
Anna Ben Carla David Elena Frank Grace Henry Irene James Karen Leo Maria Nina Oscar Paula Quentin Rosa Simon Tara Umar Vera Walter
Xenia Yusuf Zoe Alice Bruno Clara Daniel Emma Felix Gina Hugo Ivan Julia Kevin Laura Mark Nora Olga Peter Ruth Samuel Tom Ursula
Victor Wendy Priya Chen Amir Fatima Kofi Ingrid Mateo Aisha John Mary Robert Linda Michael Susan William Sarah Thomas Helen George
Lucy Edward Kate Paul Jane Martin Eva Adam Sophie Luke Hannah Jack Lily Harry Ella Omar Layla Hassan Leila Diego Camila Sven Astrid
Pierre Claire Marco Giulia Hiro Yuki Wei Mei Ravi Anita Joseph Miriam Noah Olivia Liam Ava
""")
SURNAMES = _words("""
Smith Jones Brown Taylor Wilson Evans Thomas Roberts Walker Wright Green Hall Wood Clarke Hughes Martin Cooper Ward Morris King
Baker Turner Hill Moore Parker Cook Bell Young Shaw Stone Fisher Carter Mason Hunter Palmer Reed Fox Webb Gupta Khan Lopez Garcia
Rossi Weber Novak Silva Tanaka Kim Ali Okafor Johnson Williams Davis Miller Anderson White Harris Lewis Scott Adams Mitchell Campbell
Murphy Kelly Schmidt Fischer Meyer Dubois Laurent Moreau Ferrari Romano Santos Costa Sato Suzuki Nguyen Singh Patel Sharma Ivanov
Petrov Larsen Hansen Berg Lindgren Kowalski Mensah Diallo
""")
CITIES = _words("""
London Paris Berlin Madrid Rome Vienna Prague Oslo Dublin Lisbon Athens Cairo Delhi Tokyo Seoul Boston Chicago Denver Austin Toronto
Sydney Perth Lima Quito Bristol Leeds Munich Geneva Lyon Milan Porto Krakow Bergen Turin Nairobi Lagos Hamburg Seville Naples Ghent
Utrecht Malmo Helsinki Warsaw Budapest Istanbul Mumbai Kyoto Osaka Hanoi Manila Bogota Havana Montreal Vancouver Seattle Dallas
Glasgow Cardiff York Oxford Cambridge Florence Venice Salzburg Zurich Basel
""")
COUNTRIES = _words("""
France Germany Spain Italy Austria Norway Ireland Portugal Greece Egypt India Japan Korea Canada Mexico Brazil Chile Peru Kenya Ghana
Turkey Poland Sweden Finland Denmark Belgium Morocco Nigeria Vietnam China Russia Scotland Wales England Iceland Hungary Croatia
""")
LANGUAGES = _words(
    "French German Spanish Italian Portuguese Greek Arabic Hindi Japanese Korean Turkish Polish Swedish Danish English Dutch Welsh"
)
MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
NUMBER_WORDS = [
    "two",
    "three",
    "four",
    "five",
    "six",
    "seven",
    "eight",
    "nine",
    "ten",
    "eleven",
    "twelve",
    "thirteen",
    "fourteen",
    "fifteen",
    "sixteen",
    "twenty",
    "thirty",
    "forty",
    "fifty",
    "sixty",
    "ninety",
]
ORDINALS = [
    "first",
    "second",
    "third",
    "fourth",
    "fifth",
    "sixth",
    "seventh",
    "eighth",
    "ninth",
    "tenth",
]

# ---------------------------------------------------------------- phrases that answer why, how, and what for
REASONS = _phrases("""
the roof leaked|the old one broke|it was too small|the road was flooded|the price had doubled|the machine was too loud|of heavy snow|
the battery was empty|it was raining|the power failed|the contract had ended|it was a gift|the door would not close|of a strike|
the vendor was late|the water was too cold|many people had complained|the rent was too high|the paint was still wet|
it saved a lot of time|the train was cancelled|she had lost her key|the doctor advised it|the label was missing|of strong winds|
the floor was slippery|the lock was damaged|there was not enough space|the city needed more water|nobody had booked it|
it reminded him of home|the wheels were worn|the light was better there|of a broken pipe|the view was beautiful|it was cheaper|
the fire alarm went off|the children were bored|of the summer heat|the invoice was wrong|the law had changed|the bridge was closed
""")
PURPOSES = _phrases("""
save money|reduce noise|keep the room warm|protect the wood|carry water|feed the birds|learn the language|visit a friend|
store old records|fix the roof|catch the last train|celebrate the harvest|raise money for the school|measure the temperature|
keep insects away|dry the clothes|cut the grass|heat the building|prevent theft|help new students|sell vegetables|study the stars|
record the sound of birds|hold the door open|improve the light|clean the windows|attract more visitors|honour the founder|
avoid the traffic|collect rain water|test the brakes|practise the piano|see the sea|look after the animals|meet the new owner
""")
MANNERS = _phrases("""
by train|by bus|by bicycle|on foot|by boat|by plane|by post|by email|by phone|with great care|by hand|in secret|in a hurry|
without any help|with a smile|in two steps|by courier|in cash|by credit card|by bank transfer|by van|through a friend
""")
ACTIONS = _phrases("""
turn off the main valve|lock the back door|call the front desk|press the green button|fill in the yellow form|show your badge|
wait for the green light|close all the windows|pull the red handle|ring the bell twice|leave the key at the desk|sign the visitor book|
unplug the machine|write down the number|wear safety glasses|wash your hands|check the oil level|open the side gate|remove the cover|
hold the power key for ten seconds|enter the six digit code|scan the label|inform the duty manager|use the stairs|send a photo|
clean the filter|restart the router|keep the receipt|move the car|report it to security|empty the tray|replace the fuse
""")
QUALITIES = _phrases("""
quiet|very fragile|easy to clean|out of date|well known|hard to find|ready to use|free of charge|fully booked|closed for the winter|
too heavy to lift|safe for children|older than the town|made by hand|open to everyone|popular with tourists|still in use|
painted every spring|covered with ivy|sold out|under construction|empty most of the year|smaller than expected
""")

# ---------------------------------------------------------------- filler: sentences that say nothing a question asks for
FILLER = _phrases("""
Please read this carefully.|The list was last updated in spring.|More details follow below.|This has not changed for many years.|
Everyone was pleased with the result.|The weather was fine that day.|Many people have asked about this.|It was a long day.|
There is nothing else to report.|Most of the work went well.|Some visitors come back every year.|We hope this helps.|
The rest of the page is empty.|All of this may change next year.|The rules are the same for everyone.|Nobody expected it.|
Several people were there.|It takes a little practice.|If you are not sure, ask first.|The story is well known in the area.|
That was the end of the matter.|Not all of it is certain.|The old building is still there today.|It was later than usual.|
Thank you for your patience.|The work was hard but worth it.|Other cases are handled one by one.|This section is short.|
A copy is kept on file.|Few people know about it.|The matter was discussed at length.|It is best to plan ahead.|
Things were different in those days.|The local paper wrote about it.|Much of it was later forgotten.|See the notes at the end.|
The sun was already low.|Both sides were happy.|At first there were some problems.|The idea was not new.|For years nothing happened.|
As always, the doors were open.|The first visitors came early.|It rained for most of the week.|Questions are always welcome.|
The team has grown since then.|Safety comes first.|This page is for general information only.|Prices do not include tax.|
The summer was unusually hot.|Nothing was lost.|Local people still talk about it.|The decision was not easy.|Ask at the desk for help.
""")

# ---------------------------------------------------------------- ordinary English, so that the tokenizer has met it
COMMON = _words("""
the of and to in a is that for it as was with be by on not he his but at are this have from or had an they which one you were her all
she there would their we him been has when who will more no if out so said what up its about into than them can only other new some
could time these two may then do first any my now such like our over man me even most made after also did many before must through back
years where much your way well down should because each just those people how too little state good very make world still own see men
work long get here between both life being under never day same another know while last might us great old year off come since against
go came right used take three himself few house use during without again place around however home small found part once general high
upon school every think say does got united number course war until always away something fact though water less public put thing almost
hand enough far took head yet government system better set told nothing night end why called eyes find going look asked later point next
program city business give group toward young let room word several given early rather possible large often among important things keep
company information allowed required available included needed within although therefore morning afternoon evening week month hour minute
second euros dollars pounds percent kilograms metres kilometres litres grams degrees quarter half double single free paid daily weekly
monthly yearly usually sometimes main third fourth fifth previous north south east west left top bottom front inside outside upstairs
downstairs above below near beside behind across along hello hi thanks thank sorry help yes sure okay bye welcome ability able accept
access accident according achieve act action active actually add addition administration admit adult affect agency agree agreement ahead
air allow alone already although amount analysis anyone anything appear apply approach argue arm army arrive article ask assume attack
attention available avoid baby bad base beat beautiful become begin behavior believe benefit best beyond big bill billion bit blood
body born bring budget build but call campaign cancer candidate car care career case catch cause cell center century certain certainly
challenge chance change character charge child choice choose church citizen civil claim class clear clearly close cold collection colour
color commercial common community compare computer concern condition consider consumer contain continue control cost country couple court
create crime cultural culture cup current customer cut dark data daughter dead deal death debate decade decide decision deep defense
degree democratic describe design despite detail determine develop development die difference different difficult direction discover
discuss discussion disease doctor door draw dream drive drop drug each east easy eat economic economy edge education effect effort eight
either election else employee energy enjoy entire environment environmental especially establish evening event ever everybody everyone
everything evidence exactly example executive exist expect experience expert explain eye face factor fail fall family fast fear federal
feel feeling field fight figure fill film finally financial fine finger finish fire firm fish five floor fly focus follow food foot
force foreign forget form former forward four friend full fund future game garden gas generation girl glass goal ground grow growth guess
gun guy hair half hang happen happy hard hear heart heat heavy herself hit hold hope hospital hot hotel huge human hundred husband idea
identify image imagine impact improve include including increase indeed indicate individual industry instead institution interest
international interview investment involve issue item itself job join kid kill kind kitchen knowledge land language late laugh law lawyer
lay lead leader learn least leave leg legal letter level lie light likely line list listen live local lose loss lot love low machine
magazine maintain major majority manage management manager market marriage material matter maybe mean measure media medical meet meeting
member memory mention message method middle military million mind mission model modern moment money mother mouth move movement movie music
name nation national natural nature nearly necessary need network news newspaper nice nine none nor note notice occur offer office
officer official oil operation opportunity option order organization others outside page pain paper parent particular particularly partner
party pass past patient pattern pay peace perform performance perhaps period person phone physical pick picture piece plan plant play
player policy political poor popular population position positive power practice prepare present president pressure pretty prevent price
private probably problem process produce product production professional professor project property protect prove provide purpose push
quality question quickly quite race radio raise range rate reach read ready real reality realize really reason receive recent recently
recognize record red reduce reflect region relate relationship religious remain remember remove report represent require research
resource respond response responsibility rest result return reveal rich rise risk road rock role rule run safe save scene science
scientist score sea season seat section security seek seem sell send senior sense series serious serve service seven shake share shoot
short shot shoulder show side sign significant similar simple simply sing sister sit site situation six size skill skin smile social
society soldier someone son song soon sort source space speak special specific speech spend sport spring staff stage stand standard star
start statement station stay step stock stop store story strategy street strong structure student study stuff style subject success
successful suddenly suffer suggest summer support sure surface table talk task tax teach teacher team technology television tell ten tend
term test themselves theory threat throughout throw thus today together tonight total tough town trade traditional training travel treat
treatment tree trial trip trouble true truth try turn type understand unit usually value various victim view violence visit voice vote
wait walk wall want watch weapon wear weight west whatever white whole whom whose wide wife wife will win wind window wish woman wonder
worker worry write wrong yard yeah yes yourself context answer question passage document text title section source following according
based sentence reply short brief summary repeat json true false null note item page table figure file index server error request support
installed version update password account user email login website online click button menu setting screen download upload address
shipping delivery refund warranty return exchange payment invoice receipt order discount coupon offer subscription membership guest
booking reservation check-in breakfast parking allowed pets smoking towels staff holiday leave sick overtime salary vacation remote
training safety equipment helmet gloves goggles emergency exit alarm extinguisher assembly hazard chemical spill clean storage temperature
humidity fridge freezer expiry batch medicine dose tablet daily meals patient nurse doctor appointment clinic ward visitor hours
""")
HELD_OUT_WORDS = {
    *HELD_OUT_ATTRIBUTES,
    *(form for verb in HELD_OUT_VERBS_OBJECT + HELD_OUT_VERBS_WORK for form in verb),
}
