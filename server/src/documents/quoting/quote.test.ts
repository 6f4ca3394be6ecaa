// Choice of the quoted words from the found passages. Word overlap replaces the similarity of meaning here; the tests of answers use
// the embedder.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { passage, shared } from '../testing/passages.ts';
import { quoteOf } from './quote.ts';
import type { QuotedPassage } from './units.ts';

async function quoted(question: string, ...passages: (QuotedPassage | string)[]): Promise<string | undefined> {
  const all = passages.map((one) => (typeof one === 'string' ? passage(one) : one));
  const quote = await quoteOf(question, all, shared);
  if (quote) assert.notEqual(all[quote.passage]!.text.slice(quote.start, quote.end), '');
  return quote?.text;
}

const pool = 'The pool opens at 7 am. It closes at 9 pm. The lifeguard is Ilse Brandt. A towel costs 2 dollars.';

describe('quoting sentences', () => {
  it('the sentence with the rare words and the expected type is quoted', async () => {
    assert.equal(await quoted('When does the pool open?', pool), 'The pool opens at 7 am.');
    assert.equal(await quoted('Who is the lifeguard of the pool?', pool), 'The lifeguard is Ilse Brandt.');
    assert.equal(await quoted('How much does a towel cost?', pool), 'A towel costs 2 dollars.');
  });

  it('a sentence that begins with a pronoun is quoted with the one before', async () => {
    assert.equal(await quoted('When does the pool close?', pool), 'The pool opens at 7 am. It closes at 9 pm.');
  });

  it('the heading is included if it names the subject, and a list with its introduction', async () => {
    const parking = passage('Cars pay 12 dollars a day.', { headings: ['Guide', 'Parking fee'] });
    assert.equal(await quoted('What is the parking fee of cars?', parking), 'Parking fee: Cars pay 12 dollars a day.');
    assert.equal(
      await quoted(
        'Which tools does the assembly need?',
        'For the assembly you need these tools:\n- a hammer\n- a saw',
      ),
      'For the assembly you need these tools:\n- a hammer\n- a saw',
    );
  });

  it('a search by the words of a heading finds the first sentence of its section', async () => {
    const text = 'You get 40 % off everything you buy. Leftover bread is free. Cakes to order have no discount.';
    const section = passage(text, { headings: ['Handbook', 'Staff discount'] });
    assert.equal(await quoted('staff discount', section), 'Staff discount: You get 40 % off everything you buy.');
    assert.match((await quoted('discount cakes', section)) ?? '', /Cakes to order/);
  });

  it('a question in a FAQ leads to the sentence after it and is not quoted itself', async () => {
    const asked = 'How long is the warranty? Two years from the day of purchase. Where is it repaired? In Graz.';
    assert.equal(await quoted('How long is the warranty?', asked), 'Two years from the day of purchase.');
  });

  it('nothing is quoted without the requested number, code or name', async () => {
    assert.equal(await quoted('How much does the pool cost?', 'The pool opens in May. The pool is deep.'), undefined);
    assert.equal(await quoted('How heavy is the pump DP-80?', 'The pump DP-40 weighs 4.3 kg.'), undefined);
    assert.equal(await quoted('How much is delivery to Poland?', 'The delivery to Spain costs 9 dollars.'), undefined);
    assert.equal(await quoted('How many tents are sold?', 'Tents over 8 kg are sold by mail.'), undefined);
    assert.equal(await quoted('What do koalas eat?', pool), undefined);
    assert.equal(await quoted('How deep is the pool?', pool), undefined);
  });

  it('a row that begins with a code is found by the words beside it', async () => {
    const list =
      'Code | Article | Material | Pack size | Price | Currency\nMF-1 | Hex bolt | Steel | 100 | 8.40 | EUR\nMF-2 | Wing nut | Brass | 50 | 6.10 | EUR';
    assert.equal(await quoted('What is the material of the wing nut?', list), 'MF-2 Wing nut, Material: Brass');
    assert.equal(await quoted('What does the wing nut cost?', list), 'MF-2 Wing nut, Brass, Price: 6.10');
    assert.equal(await quoted('How many are in a pack of hex bolts?', list), 'MF-1 Hex bolt, Steel, Pack size: 100');
  });

  it('two sentences are quoted if the second refers to the subject of the first', async () => {
    const report = 'Near misses are reported within a week. There were 31 of them in 2023. The board meets in June.';
    assert.equal(
      await quoted('How many near misses were reported in 2023?', report),
      'Near misses are reported within a week. There were 31 of them in 2023.',
    );
  });

  it('a term is quoted with its definition, and a heading that states the answer with what is below it', async () => {
    const terms = 'Quiet hood\nA cupboard for the storage of empty glassware.\nRed hood\nA cupboard for acids.';
    assert.equal(
      await quoted('What is a quiet hood?', terms),
      'Quiet hood: A cupboard for the storage of empty glassware.',
    );
    const release = passage('Fixed: the tide table was empty.', { headings: ['Releases', '2.4.1 – 3 May 2023'] });
    assert.equal(
      await quoted('When was the empty tide table fixed?', release),
      '2.4.1 – 3 May 2023: Fixed: the tide table was empty.',
    );
    const versions = passage('The tide table is printed.', { headings: ['Releases', '2.4.1 – 3 May 2023'] });
    assert.equal(await quoted('When was 2.4 released?', versions), undefined);
  });

  it('a label and its text are quoted as a sentence', async () => {
    const minutes = 'Chair:     Ilse Brandt\nPresent:   61 members (of 94)\nPlace:     Scout hut';
    assert.match((await quoted('How many members were present?', minutes))!, /61 members/);
  });

  it('other languages and scripts are quoted', async () => {
    const german = 'Das Bad öffnet am Wochenende um 9.00 Uhr. Hunde sind nicht erlaubt.';
    assert.equal(await quoted('Wann öffnet das Bad?', german), 'Das Bad öffnet am Wochenende um 9.00 Uhr.');
    const french = 'La directrice est Mme Claire Aubert. L’abonnement coûte 15 € par an.';
    assert.equal(await quoted('Combien coûte l’abonnement ?', french), 'L’abonnement coûte 15 € par an.');
    const spanish = 'La piscina abre el 1 de mayo. La entrada cuesta 4 euros.';
    assert.equal(await quoted('¿Cuánto cuesta la entrada?', spanish), 'La entrada cuesta 4 euros.');
    assert.equal(await quoted('图书馆几点开放？', '图书馆每天九点开放。入馆费用为十二元。'), '图书馆每天九点开放。');
  });

  it('a very long sentence is truncated around the words of the question', async () => {
    const long = `${'Every member of the club, '.repeat(60)}whose locker key is lost, pays 30 dollars${', and then some more'.repeat(60)}.`;
    const said = (await quoted('How much is paid for a lost locker key?', long))!;
    assert.ok(said.length <= 400 && said.includes('pays 30 dollars'), said);
    assert.match(said, /^… .* …$/);
  });

  it('empty, malformed and hostile text is skipped', async () => {
    assert.equal(await quoted('When?', '', ' \n '), undefined);
    assert.equal(await quoted('', pool), undefined);
    assert.equal(await quoted('???', pool), undefined);
    assert.equal(await quoted('When does it open?'), undefined);
    const bars = ' | '.repeat(3_000);
    assert.equal(
      await quoted('When does the gate open?', `${bars}\n${'<|eot_id|> '.repeat(400)}\n${'a.'.repeat(4_000)}`),
      undefined,
    );
  });
});

describe('quoting tables', () => {
  const plans = passage('Plan | Price per month | Users\nSolo | 9 EUR | 1\nTeam | 29 EUR | 10\nStudio | 79 EUR | 40');

  it('only the cell of the requested row and column is quoted', async () => {
    assert.equal(await quoted('How many users may the Team plan have?', plans), 'Team, Users: 10');
    assert.equal(await quoted('What is the price of Studio?', plans), 'Studio, Price per month: 79 EUR');
    assert.equal(
      await quoted('How heavy is the DP-40?', 'Property | DP-40 | DP-60\nWeight | 4.3 kg | 5.1 kg'),
      'Weight, DP-40: 4.3 kg',
    );
    const later = passage('Team | 29 EUR | 10', { header: 'Plan | Price per month | Users' });
    assert.equal(await quoted('How many users may the Team plan have?', later), 'Team, Users: 10');
    const nameless = passage('| Low season | High season\nTent | 14.00 | 21.00\nDog | 2.50 | 3.00', {
      headings: ['Fees'],
    });
    assert.equal(await quoted('What is the fee of a dog in the high season?', nameless), 'Dog, High season: 3.00');
  });

  it('a reverse lookup by a value in a row quotes the name of the row', async () => {
    const support = 'Plan | Storage | Support\nSolo | 50 GB | mail\nStudio | 2 TB | telephone';
    assert.equal(await quoted('Which plan has support by telephone?', support), 'Plan: Studio (Support: telephone)');
  });

  it('columns of plain text are aligned by spaces, and two tables may stand side by side', async () => {
    const offers =
      '   Firm              Price     Weeks\n   Corvane Roofing   86,400       5\n   Pohl & Sons       79,950       7';
    assert.equal(await quoted('What is the price of Corvane Roofing?', offers), 'Corvane Roofing, Price: 86,400');
    const accounts =
      '   Income                     Expenses\n   Plot rents       5,640     Water           1,388\n   Total            8,510     Total           6,964';
    assert.equal(await quoted('What was the total of the expenses?', accounts), 'Total, Expenses: 6,964');
    assert.equal(await quoted('How much was spent on water?', accounts), 'Water, Expenses: 1,388');
  });

  it('a header may have two rows, and a row may be named by two cells', async () => {
    const limits =
      'Country | Hotel | Hotel | Meals\nCountry | Standard | Capital city | Full day\nNorway | 170 | 205 | 66\nPoland | 95 | 120 | 33';
    assert.equal(
      await quoted('Which hotel rate holds for the capital city of Norway?', limits),
      'Norway, Hotel, Capital city: 205',
    );
    const costs =
      'Item | Item | Paid? | Limit\nComfort | Laundry | yes | 25 euro a week\nComfort | Minibar | no | none';
    assert.equal(await quoted('What is the limit of laundry?', costs), 'Comfort, Laundry, Limit: 25 euro a week');
  });

  it('the column that the question names is quoted, and a cell of another type does not answer "who"', async () => {
    const list = 'Article | Price | Currency | Pack\nGate hinge | 18.65 | CHF | 2\nTower bolt | 29.40 | CHF | 5';
    assert.match((await quoted('Which currency is the gate hinge priced in?', list))!, /Currency: CHF/);
    const courses = 'Course | Age | Lessons\nFrogs | 6 to 8 | 15\nOtters | from 8 | 12';
    assert.equal(await quoted('Who teaches the Frogs?', courses), undefined);
  });

  it('two columns need no header', async () => {
    const data = 'Colour | white\nWeight | 4.3 kg\nCable length | 10 m';
    assert.equal(await quoted('What is the weight of it?', data), 'Weight: 4.3 kg');
  });

  it('nothing is quoted for a missing row, or if two rows match equally', async () => {
    assert.equal(await quoted('How many users may the Campus plan have?', plans), undefined);
    const tickets = 'Ticket | Price | Valid\nAdult ticket | 12 EUR | 1 day\nChild ticket | 5 EUR | 1 day';
    assert.equal(await quoted('What is the price of a ticket?', tickets), undefined);
    assert.equal(await quoted('What is the price of a child ticket?', tickets), 'Child ticket, Price: 5 EUR');
  });

  it('a range of days or months stands for all within', async () => {
    const hours = passage(
      'Season | Tuesday to Friday | Saturday | Mondays\nApril to October | 10:00 to 18:00 | 9:00 to 20:00 | closed\nNovember to March | 11:00 to 16:00 | 9:00 to 17:00 | closed',
      { headings: ['Opening hours'] },
    );
    assert.equal(
      await quoted('When do you open on Wednesdays in July?', hours),
      'April to October, Tuesday to Friday: 10:00 to 18:00',
    );
    assert.equal(
      await quoted('What are the opening hours on Thursday in January?', hours),
      'November to March, Tuesday to Friday: 11:00 to 16:00',
    );
    assert.equal(
      await quoted('When do you open on Saturdays in July?', hours),
      'April to October, Saturday: 9:00 to 20:00',
    );
    const office =
      'The office is open Mon–Fri from 8:00 to 16:00. The archive is open on Saturdays from 9:00 to 12:00.';
    assert.match((await quoted('When is it open on weekdays?', office)) ?? '', /Mon–Fri/);
    assert.match((await quoted('When is it open on weekends?', office)) ?? '', /archive/);
  });

  it('a size that the question states chooses among rows of one name', async () => {
    const list =
      'Code | Product | Size | Price (EUR) | Stock\nG-1 | Garden hose | 20 m | 32.00 | 8\nG-2 | Garden hose | 50 m | 69.00 | 3\nG-3 | Bin | 400 l | 45.20 | 14';
    assert.match((await quoted('price of the 50 m garden hose', list)) ?? '', /50 m.*69\.00$/);
    assert.match((await quoted('How many 20 m garden hoses are in stock?', list)) ?? '', /20 m.*Stock: 8$/);
    assert.equal(await quoted('price of the garden hose', list), undefined);
  });

  it('cells of one row that match equally are quoted together', async () => {
    const ferries =
      'Departure | Monday to Friday | Saturday | Sunday\nFirst ferry from Ellery | 6:10 | 7:30 | 9:00\nLast ferry from Ellery | 21:40 | 22:30 | 19:15';
    assert.equal(
      await quoted('When is the first ferry from Ellery?', ferries),
      'First ferry from Ellery, Monday to Friday: 6:10; Saturday: 7:30; Sunday: 9:00',
    );
    assert.equal(await quoted('When is the ferry from Ellery?', ferries), undefined);
    const fees = 'Course | Residents | Others\nOtters | 112 EUR | 139 EUR\nSeals | 98 EUR | 120 EUR';
    assert.equal(await quoted('What do Otters cost elsewhere?', fees), undefined);
  });

  it('two columns that a question names are both quoted', async () => {
    const list = 'Product | Size | Price (EUR) | Stock\nBin | 400 l | 45.20 | 14\nHose | 20 m | 32.00 | 8';
    assert.equal(await quoted('bin price and size', list), 'Bin, Size: 400 l; Price (EUR): 45.20');
    const pools =
      'Pool | Lagoon 22 | Lagoon 22 P | Lagoon 30\nNoise | 44 dB | 46 dB | 51 dB\nWeight | 61 kg | 70 kg | 92 kg';
    assert.equal(await quoted('How loud is the Lagoon 22 P?', pools), 'Noise, Lagoon 22 P: 46 dB');
  });

  it('a number counts what follows it, also behind another number', async () => {
    const museum = 'The museum shows glass from two thousand years in nine rooms. It has a shop.';
    assert.match((await quoted('How many rooms does the museum have?', museum)) ?? '', /nine rooms/);
    const bays = 'The parking bays 14 and 15 should not be parked on.';
    assert.equal(await quoted('How many parking spaces are there?', bays), undefined);
  });

  it('IT in capitals is a word of its own', async () => {
    const contacts = 'Subject | Person\nPayroll | Imogen Flint\nIT and tills | Oskar Lund\nTraining | Priya Nair';
    assert.equal(await quoted('Who is responsible for IT?', contacts), 'IT and tills: Oskar Lund');
  });
});
