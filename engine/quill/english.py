"""Forty ordinary English passages, written by hand for the exam alone: the generator knows none of them.

Each has one question whose answer is a span of the passage, and other accepted wordings, if any.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Reading:
    passage: str
    question: str
    answers: tuple[str, ...]  # the first is the exact span asked for


def _read(text: str) -> list[Reading]:
    made = []
    for block in text.strip().split("\n\n"):
        lines = block.strip().split("\n")
        made.append(
            Reading(
                lines[0],
                lines[1].removeprefix("? "),
                tuple(lines[2].removeprefix("= ").split(" | ")),
            )
        )
    return made


READINGS = _read("""
The city council approved a new cycling path along the river last Tuesday. It will connect the old harbour with the university and should be ready by next autumn. The project is expected to cost around four million euros.
? How much will the cycling path cost?
= around four million euros | four million euros

Our kitchen is open every day except Sunday. Breakfast is served from seven until half past ten, and dinner starts at six in the evening. Guests with food allergies should tell the waiter before ordering.
? When does dinner start?
= at six in the evening | six in the evening | six

Marta had never seen the sea before she moved to Lisbon. On her first free weekend she took the tram to the coast and walked along the beach for hours. She still says it was the best day of her life.
? How did Marta get to the coast?
= the tram | by tram | took the tram | tram

Employees who travel for work may claim back the cost of meals. Keep all receipts and send them to the accounts team within thirty days. Claims that arrive later than that will not be paid.
? Who should receipts be sent to?
= the accounts team | accounts team

The lighthouse on Skarra Island was built in 1871 after a terrible storm sank three fishing boats. For almost a hundred years the Olsen family looked after it. Today it works by itself and nobody lives there.
? Which family looked after the lighthouse?
= the Olsen family | Olsen | Olsen family

To reset your password, click on the link below the login form. We will send you an email with a code that is valid for fifteen minutes. If you do not receive it, look in your spam folder first.
? How long is the code valid?
= fifteen minutes | for fifteen minutes

The museum shop sells postcards, books and small copies of the statues. Members of the museum pay ten percent less. The shop closes half an hour before the museum itself.
? What discount do members get?
= ten percent less | ten percent

Tom's grandmother keeps bees behind her cottage. Every August she fills about sixty jars with honey and sells most of them at the village fair. The rest she gives to her neighbours.
? Where does Tom's grandmother keep bees?
= behind her cottage

Before using the saw, put on safety glasses and tie back long hair. The red switch on the left side stops the machine at once. Never clean the blade while the motor is running.
? What does the red switch do?
= stops the machine at once | stops the machine

The annual report shows that Halden Foods sold more frozen vegetables than ever before. Profits, however, fell by eight percent because energy became more expensive. The board has promised to close two of its older factories.
? Why did profits fall?
= because energy became more expensive | energy became more expensive

Dr Amara Nwosu joined the hospital in 2009 as a junior surgeon. Six years later she became head of the heart clinic. She also teaches at the medical school on Fridays.
? When did Dr Nwosu join the hospital?
= 2009 | in 2009

The bus to the airport leaves from stop C in front of the main station. It runs every twenty minutes and the journey takes about three quarters of an hour. Tickets can be bought from the driver.
? Where does the bus to the airport leave from?
= stop C | from stop C | stop C in front of the main station

Parcels weighing more than twenty kilograms cannot be sent by normal post. Please bring them to the freight desk at the back of the building. The desk is staffed from Monday to Thursday.
? Where should heavy parcels be brought?
= the freight desk | to the freight desk | the freight desk at the back of the building

When the old bakery closed, nobody thought the building would be used again. Then two sisters from Ghent turned it into a small cinema. It now shows films four nights a week.
? What did the sisters turn the bakery into?
= a small cinema | small cinema

The warranty covers faults in materials for two years. It does not cover damage caused by water or by dropping the phone. To make a claim, you need the original receipt.
? What do you need to make a claim?
= the original receipt | original receipt

Rain is expected in the north tomorrow, while the south stays dry and sunny. Temperatures will reach twenty-four degrees near the coast. A strong wind may blow in the evening.
? What will the weather be like in the south?
= dry and sunny

Pavel plays the cello in a small orchestra that rehearses in a church hall. They meet on Wednesday evenings and give two concerts a year. The money from the tickets goes to a children's home.
? What instrument does Pavel play?
= the cello | cello

All visitors must sign in at reception and wear a badge. Badges have to be handed back when you leave. Photography is not allowed in the laboratory.
? Where must visitors sign in?
= at reception | reception

The Greenfield library will be closed in July while the heating is replaced. Books can be returned to the box beside the entrance. During this time no fines will be charged.
? Why will the library be closed?
= while the heating is replaced | the heating is replaced

A dog called Biscuit found the missing boy in the forest on Saturday night. He was cold and hungry but not hurt. His parents thanked the volunteers who had searched for two days.
? Who found the missing boy?
= A dog called Biscuit | Biscuit | a dog

The printer on the second floor uses black ink only. If you need colour, send your document to the printer next to the meeting room. Paper is kept in the cupboard under the window.
? Where is the paper kept?
= in the cupboard under the window | the cupboard under the window

Elena Petrova wrote her first novel while she was working as a night nurse. It was turned down by nine publishers. The tenth one printed it, and it sold over a million copies.
? What was Elena Petrova's job when she wrote her first novel?
= a night nurse | night nurse

The farm grows apples, pears and a little wheat. In winter the owners rent out two rooms to skiers. The nearest village is five kilometres away.
? How far away is the nearest village?
= five kilometres away | five kilometres

Take one tablet twice a day with a glass of water. Do not take more than three tablets in twenty-four hours. If the pain lasts longer than a week, see a doctor.
? How often should the tablet be taken?
= twice a day

The company was started by Ines Ferreira in her parents' garage. Today it employs three hundred people and makes electric bicycles. Its head office is still in Porto.
? What does the company make?
= electric bicycles

New members pay a fee of forty pounds when they join. After that, the monthly cost is twenty-five pounds. You can cancel at any time by writing to the office.
? How much does membership cost each month?
= twenty-five pounds

The river flooded in spring and washed away the wooden bridge. Until a new one is built, walkers have to use the road. The mayor hopes that work will begin in September.
? What did the river wash away?
= the wooden bridge | wooden bridge

Mr Lindqvist teaches chemistry on the third floor. His lessons are famous because he sets fire to something every week. This year he has been voted teacher of the year.
? What does Mr Lindqvist teach?
= chemistry

Our hotel has forty-two rooms, a small pool and a garden. Dogs are welcome for an extra ten euros a night. The car park behind the building is free for guests.
? How many rooms does the hotel have?
= forty-two | forty-two rooms

The meeting has been moved from Tuesday to Thursday because the director is ill. It will still take place in the large conference room. Please bring printed copies of your figures.
? To which day has the meeting been moved?
= Thursday | to Thursday

Water the plant once a week and keep it out of direct sunlight. In winter it needs less. If the leaves turn yellow, you are probably giving it too much water.
? How often should the plant be watered?
= once a week

The painting was bought by a collector from Japan for nine million dollars. It had been hidden in an attic for more than fifty years. Experts believe it was stolen during the war.
? Who bought the painting?
= a collector from Japan | collector from Japan

Orders placed before noon are sent out on the same day. Delivery within the country takes two working days. For other countries, please allow up to ten.
? How long does delivery within the country take?
= two working days

Sofia was nervous before her driving test. The examiner, a quiet man with a grey beard, asked her to park behind a lorry. She passed without a single mistake.
? Where was Sofia asked to park?
= behind a lorry

The old mill burned down in 1958 and was never rebuilt. Only the stone wheel is left, lying in the grass beside the stream. Children from the village like to climb on it.
? When did the old mill burn down?
= 1958 | in 1958

Staff must lock the chemicals in the steel cabinet at the end of each shift. The key is held by the shift leader. Spills should be reported to the safety officer immediately.
? Who holds the key?
= the shift leader | shift leader

Nearly half of all visitors to the national park come in May, when the orchids are in flower. The rangers offer guided walks at weekends. A map costs two dollars at the gate.
? When do the orchids flower?
= May | in May

My brother Felix is allergic to nuts, so we never bake with almonds. For his birthday we made a lemon cake instead. He ate three pieces.
? What is Felix allergic to?
= nuts

The software is updated on the first Monday of every month. During the update the system cannot be used for about an hour. Save your work before it begins.
? When is the software updated?
= on the first Monday of every month | the first Monday of every month

The council will plant two hundred trees along the main road to make the town cooler in summer. Schools have been invited to help. Each class may give its tree a name.
? Why will the council plant trees?
= to make the town cooler in summer | make the town cooler in summer
""")
