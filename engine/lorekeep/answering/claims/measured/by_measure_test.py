"""Measures of a yes-or-no question, compared with those of the fact that answers it."""

import pytest

from lorekeep.answering.claims.measured.by_measure import verdict

OPEN = "When is the park open?"
AGE = "From what age may children come alone?"
AMOUNTS = [
    ("Do we get 30 days of vacation?", "How many vacation days do employees get?", "27 days per year.", False),
    ("Do we get 27 days of vacation?", "How many vacation days do employees get?", "27 days per year.", True),
    ("Can I return it after two weeks?", "What is the return window?", "Within 45 days of delivery.", True),
    ("Can I return it more than 45 days later?", "What is the return window?", "Within 45 days of delivery.", False),
    ("Can I carry over 5 days?", "How much vacation can be carried over?", "Up to 6 days.", True),
    ("Is a password of 10 characters enough?", "How long must passwords be?", "At least 14 characters.", False),
    ("Can I carry over five days?", "How many days can I carry over?", "5 days", True),
    ("Can I carry over more than five days?", "How many days can I carry over?", "5 days", False),
    ("Does a one-year-old stay for free?", "Until what age do children stay free?", "Until their third birthday", True),
    ("Does a 3-year-old stay for free?", "Until what age do children stay free?", "Until the 3rd birthday", False),
    ("May a three-year-old come?", "From what age may children come?", "From their third birthday", True),
    ("Is it free if I order for 80 euros?", "From what value is delivery free?", "From 60 euros", True),
    ("Is it free if I order for 50 euros?", "From what value is delivery free?", "From 60 euros", False),
    ("Does a 3-year-old stay for free?", "Until what age are children looked after?", "Until the 3rd birthday", None),
    ("Does the ticket cost more than €50?", "What does the ticket cost?", "€38", False),
    ("Does the ticket cost less than 50 euros?", "What does the ticket cost?", "€38", True),
    ("Is the warranty 24 months?", "How long is the warranty?", "Two years", True),
    ("May I drink three hours before surgery?", "Until when may I drink?", "Up to two hours before surgery.", True),
    ("May I drink one hour before surgery?", "Until when may I drink?", "Up to two hours before surgery.", False),
    ("Can I come at 6 pm on Wednesday?", "Is it open at the weekend?", "On Saturday from 10 am to 1 pm. Sunday is closed.", None),
    ("Can I come at 11 am on Saturday?", "Is it open at the weekend?", "On Saturday from 10 am to 1 pm. Sunday is closed.", True),
    ("Did it exist already in the year 2000?", "When was it founded?", "2003", False),
    ("Did it already exist in 2010?", "When was it founded?", "2003", True),
    ("Was she born in 1958?", "In what year was she born?", "1971", False),
    ("Was she born in 1971?", "In what year was she born?", "in 1971", True),
    ("Was she born before 1980?", "In what year was she born?", "1971", True),
    ("Do I have six weeks to register a dog?", "By when do I have to register a dog?", "Within three weeks.", False),
    ("Can I take out 400 quid in one day?", "How much cash can I withdraw per day?", "350 pounds", False),
    ("Can I take out 300 quid in one day?", "How much cash can I withdraw per day?", "350 pounds", True),
    ("Can 6 of us take out 300 quid?", "How much cash can I withdraw per day?", "350 pounds", None),
    ("Must I report it within 30 days?", "By when must it be reported?", "Within 45 days.", None),
    ("Is it 3 or 4 days?", "How long does delivery take?", "3 days", None),
    ("Don't we get 30 days?", "How many vacation days do we get?", "27 days", None),
    ("How many days do we get, 30 days?", "How many vacation days do we get?", "27 days", None),
    ("Can you tell me if 30 days is right?", "How many vacation days do we get?", "27 days", None),
    ("Is the lift for 300 kg?", "What can the lift carry?", "630 kg, or 8 persons and 200 kg of goods", None),
    ("Do we get 30 days?", "Do employees get 27 days?", "Yes, 27 days", None),
    ("can I work from home three days a week", "How many days may I work from home?", "Up to 3 days a week.", True),
    ("Can I work from home four days a week?", "How many days may I work from home?", "Up to 3 days a week.", False),
    ("Can I work from home three days a month?", "How many days may I work from home?", "Up to 3 days a week.", None),
    ("Are 16 characters enough?", "What are passwords like?", "At least 14 characters. The last 8 passwords are refused.", True),
    ("Are 9 passwords enough?", "What are passwords like?", "At least 14 characters, 2 digits.", None),
    ("May the team lead sign an order of 800 euros?", "Who signs orders?", "The team lead up to 1,000 euros, the head up to 10,000.", True),
    ("May the head sign an order of 8,000 euros?", "Who signs orders?", "Team leads up to 1,000 euros, the head up to 5,000 euros.", False),
    ("Is it in time if I pay on the 12th?", "When is the fee due?", "By the 5th of each month.", False),
    ("Is it in time if I pay on the 5th?", "When is the fee due?", "By the 5th of each month.", True),
    ("Is it in time if I pay on the 5th?", "When is the fee due?", "Before the 5th of each month.", False),
    ("Am I too late if I pay on the 9th?", "When is the fee due?", "By the 5th of each month.", True),
    ("Do you send it on the 9th?", "When is the fee due?", "By the 5th of each month.", None),
    ("Is it enough to call half an hour before my shift?", "How early must staff report sick?", "At least two hours before the shift.", False),
    ("Is it enough to call 3 hours before my shift?", "How early must staff report sick?", "At least two hours before the shift.", True),
    ("Can I pay a bill of £180 in parts?", "Can I pay a large bill in parts?", "Yes, any bill over £300.", False),
    ("Can I pay a bill of £380 in parts?", "Can I pay a large bill in parts?", "Yes, any bill over £300.", True),
    ("May the cook sign an order of 800 euros?", "Who signs orders?", "Team leads up to 1,000 euros, the head up to 5,000 euros.", None),
]  # fmt: skip
DAYS = [
    ("It is 11.30 now - can I still book lunch for today?", "By when do I have to book lunch?", "By 10 am on the same day.", False),
    ("It is 9.30 now - can I still book lunch for today?", "By when do I have to book lunch?", "By 10 am on the same day.", True),
    ("Is the line open on Saturdays?", "What are the support hours?", "Monday to Friday from 7:00 to 18:00.", False),
    ("Is the line open on Wednesday?", "What are the support hours?", "Monday to Friday from 7:00 to 18:00.", True),
    ("Is the clinic open on Tuesdays?", "On which days is the clinic open?", "Monday, Wednesday and Friday", False),
    ("Is the gallery closed on Sundays?", "On which day is the gallery closed?", "On Tuesdays.", False),
    ("Is the gallery open on Sundays?", "On which day is the gallery closed?", "On Tuesdays.", True),
    ("Is the gallery closed on Mondays?", "When is the gallery open?", "Tue–Sun", True),
    ("Can I come on the weekend?", "When can I come?", "Mon-Fri", False),
    ("Can I come on the weekend?", "When can I come?", "Tuesday to Saturday", None),
    ("Can I come on Sunday?", "When can I come?", "Daily except Monday", True),
    ("Is it open on Monday?", "When is it open?", "It is open Tuesday to Friday and closed on weekends.", None),
    ("Is it open on Monday until 20:00?", "When is it open?", "Monday to Friday", None),
]  # fmt: skip
TIMES = [
    ("Can I get in at eleven in the morning?", OPEN, "2 pm to 9 pm", False),
    ("Can I get in at 3 pm?", OPEN, "2 pm to 9 pm", True),
    ("Is the line open at 5 in the afternoon?", OPEN, "The pay line, open 9 am to 4 pm", False),
    ("Is there food at one in the morning?", "When is food served?", "from 4 pm to 8 pm, and from midnight to 2 am", True),
    ("can i drop by at 3 am if its urgent", OPEN, "It is open day and night, all year round.", True),
    ("Are you open at 18:00?", OPEN, "Monday to Friday from 9:00 to 17:30", False),
    ("Is the shop closed at 8 pm?", OPEN, "10 am to 6 pm", True),
    ("Can we have breakfast at 11 am?", "How late is breakfast served?", "Until 10:30 am", False),
    ("Could we get our room at 1 pm?", "When can I check in?", "From 3 pm", False),
    ("Is it open at 2 pm?", "When does the library close?", "At 1 pm", False),
    ("Is it open at noon?", "When does the library open?", "At 9 am", True),
    ("Is it open at 10 am?", OPEN, "2 to 9 pm", False),
    ("Is it open at 10 am?", OPEN, "10 to 6 pm", True),
    # Undecided.
    ("Can I come at 10 am?", OPEN, "Monday from 8:00 to 12:00, Tuesday from 13:00 to 18:00", None),
    ("Can I come on Monday at 10 am?", OPEN, "Monday from 8:00 to 12:00", True),
    ("Can I come at 10?", OPEN, "9 am to 4 pm", None),
    ("Does the park close at 5 pm?", OPEN, "2 pm to 9 pm", None),
    ("Does it open at 3 pm?", OPEN, "2 pm to 9 pm", None),
    ("Is 9 pm too late?", OPEN, "2 pm to 9 pm", None),
    ("Can I bring 3 dogs?", OPEN, "2 pm to 9 pm", None),
    ("Can I come at 3 pm?", "How much is it?", "12 euros", None),
    ("Can I come at 3 pm?", OPEN, "10 to 6", None),
]  # fmt: skip
BOUNDS = [
    ("There are ten of us, can we all go together?", "How many people can the Duchess take?", "14", True),
    ("Can six of us squeeze in?", "How many people does the Marzipan hold?", "4", False),
    ("May my seven-year-old stay without me?", AGE, "from 10 years", False),
    ("My girl is twelve, may she come on her own?", AGE, "from 10 years", True),
    ("It fell 1.5 m onto concrete. Is it built for this?", "What fall does the S5 survive?", "2.4 m onto concrete", True),
    ("Would it get through an eight hour shift?", "How long does the battery last?", "14 hours", True),
    ("Does a nine-year-old get that, would it be allowed?", "How old are juniors?", "from 8 to 13 years", True),
    ("Can my three-year-old come?", "How old are juniors?", "8 to 13 years", False),
    ("We collect 20,000 scans with an S5. Does it have the room?", "How many scans can the S5 store?", "50,000", True),
    # Undecided.
    ("Can I pay 300 euros?", "What does it cost?", "200 euros", None),
    ("Is 10 too many?", "How many people can it take?", "14", None),
    ("Can two of us bring three dogs?", "How many people can it take?", "14", None),
    ("Can ten of us come?", "How long may we stay?", "3 hours", None),
    ("Can ten of us come?", "Who leads the tour?", "Ada Quist", None),
    ("Must I be ten?", AGE, "from 10 years", None),
]  # fmt: skip
# With weekdays and times, exceptions, and other units.
MORE = [
    ("is the library open at 16:00 on a thursday", "When is the library open?", "Tuesday to Friday, 9:30 to 15:00. Closed on Mondays.", False),
    ("Does the tower break the 70 m mark?", "How high is the tower?", "74 metres", None),
    ("Heights above 65 m are too much for me. Is the tower lower than that?", "How high is the tower?", "62 metres", None),
    ("Can I get in at four on the dot in the afternoon?", OPEN, "9:00 to 16:30", True),
    ("Can I get in at four on the dot in the morning?", OPEN, "9:00 to 16:30", False),
    ("Can I come on Wednesday at 10?", OPEN, "Monday and Tuesday 9:00 to 16:00; Wednesday 12:00 to 16:00", False),
    ("Can I come on Wednesday at 10 am?", OPEN, "Monday and Tuesday 9:00 to 16:00; Wednesday 12:00 to 16:00", False),
    ("Can I come on Tuesday at 10 am?", OPEN, "Monday and Tuesday 9:00 to 16:00; Wednesday 12:00 to 16:00", True),
    ("Are you open on Saturday afternoons?", OPEN, "Monday to Friday 8:00 to 18:30, Saturday 9:00 to 12:00", False),
    ("Is it open on Sunday at 11 am?", OPEN, "daily from 10 am to 4 pm, not on Sundays", False),
    ("is an Amberline more than 115 euros", "What does an Amberline crown cost?", "EUR 118 per unit.", True),
    ("Does the Alder Room seat more than 200 people?", "How many seats does the Alder Room have?", "210, unnumbered.", True),
    ("my case weighs 26 kg, is that within the limit?", "What may I take?", "One suitcase of up to 23 kg", False),
    ("Can I park on Sundays?", "When is parking free?", "from 8 pm to 8 am and on Sundays", None),
    ("Can I come on Monday at 3 pm?", "When is the bar open?", "Daily from noon. It closes at 11 pm.", True),
    ("Is a fiver enough?", "What does it cost?", "£4.50", True),
    ("", OPEN, "9 to 5", None),
    ("Is it open at 3 pm?", OPEN, "", None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("question", "taught", "answer", "wanted"), [*AMOUNTS, *DAYS, *TIMES, *BOUNDS, *MORE]
)
def test_a_claim_is_compared_with_the_fact(question: str, taught: str, answer: str, wanted: bool | None):
    assert verdict(question, taught, answer) is wanted


@pytest.mark.parametrize(
    ("question", "taught", "answer", "true"),
    [
        ("Does it weigh over one and a half tonnes, doesn't it?", "How heavy is the bell?", "1,840 kilograms", True),
        ("Does Ustrem have more inhabitants than ten thousand?", "How many people live in Ustrem?", "6,420", False),
        ("Does the cave have over a thousand steps?", "How many steps does the cave have?", "1,160", True),
        ("Has she written more than a dozen novels?", "How many novels has she written?", "11", False),
        ("Has he mended more than a hundred clocks?", "How many clocks has he mended?", "94, of which eleven are organ clocks.", False),
        ("Does it run longer than 12 hours?", "How long is the audiobook?", "13 hours and 20 minutes", True),
        ("Does an hour of his time cost less than 70 crowns?", "How much does he charge?", "68 crowns an hour. The first look is free.", True),
        ("Would 80 minutes be enough for the tour?", "How long does the tour take?", "75 minutes", True),
        ("Is it OK if my car stands there for five hours?", "Can I park there?", "There are nine spaces. You may stay for three hours at most.", False),
        ("Can I book a machine ten days in advance?", "How far ahead can I book a machine?", "Up to 14 days ahead, in the portal.", True),
        ("Cancelling three hours before it starts is free, right?", "What does it cost to cancel?", "It is free up to 24 hours before the start. After that 5 euros.", False),
        ("Is it free to cancel two days before?", "What does it cost to cancel?", "It is free up to 24 hours before the start. After that 5 euros.", True),
        ("May I book it for six hours in one day?", "How long can I book a machine for?", "At most four hours per machine and day.", False),
        ("I need a laptop for two hours?", "How long may a laptop be borrowed?", "For four hours, in the building", True),
    ("I want the laptop for six hours?", "How long may a laptop be borrowed?", "For four hours, in the building", False),
    ("I need a hundred euros?", "How much cash can I withdraw?", "350 euros", None),
    ("My 3D print would take 15 hours. Is that okay?", "How long may a 3D print take?", "12 hours at most.", False),
        ("Could I still come at seven on a Saturday evening?", "When is it open?", "Tuesday to Friday from 10:00 to 22:00 and Saturday from 9:00 to 18:00.", False),
        ("Is the laundry still open at half past nine in the evening?", "Is there a laundry?", "The dryer costs 3 euros. The room is open from 7:00 to 22:00.", True),
        ("I'm neither a student nor an apprentice. Is it under 30 euros?", "What does it cost?", "39 euros a month. Students pay 24 euros.", None),
    ],
)  # fmt: skip
def test_number_words_trailing_bounds_and_lead_times_are_compared(
    question: str, taught: str, answer: str, true: bool | None
):
    assert verdict(question, taught, answer) is true
