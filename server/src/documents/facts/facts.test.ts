// Extraction of facts from documents without a model: from the bytes of a manual to questions with answers that occur in their quotes.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Passage } from '@lorekeep/reader';
import { factFinder } from '../../testing/found-facts.ts';
import { factsOfDocument } from './facts.ts';

describe('facts of documents', () => {
  const { found, last } = factFinder();

  it('come from rows of tables, by the names of row and column', async () => {
    const table = `# Valves

| Valve | Code | Weight | Notes |
|---|---|---|---|
| Red valve | RV-2207 | 4.3 kg | see page 7 |
| Blue valve | BV-1180 | 2.9 kg | n/a |
| Old valve | n/a | | |
`;
    assert.deepEqual(await found(table), {
      'What is the code of Red valve?': 'RV-2207',
      'What is the weight of Red valve?': '4.3 kg',
      'What is the code of Blue valve?': 'BV-1180',
      'What is the weight of Blue valve?': '2.9 kg',
    });
  });

  it('name the document if the name of a row is ambiguous', async () => {
    const table = '# Zorbex 40\n\n## Limits\n\n| Setting | Default |\n|---|---|\n| timeout | 30 s |\n| retries | 4 |\n';
    assert.deepEqual(await found(table), {
      'What is the default of timeout in Limits of Zorbex 40?': '30 s',
      'What is the default of retries in Limits of Zorbex 40?': '4',
    });
  });

  it('come from key-value lines under a name, from headings with one value, and from sentences', async () => {
    const text = `# Zorbex 40

- Warranty: 2 years
- Weight: 4.3 kg

## Manufacturer

Ultrafen Ltd

## How to clean it

Zorbex 40 is a pump for cold water. The filter of the Zorbex 40 is made of steel.
`;
    assert.deepEqual(await found(text), {
      'What is the warranty of Zorbex 40?': '2 years',
      'What is the weight of Zorbex 40?': '4.3 kg',
      'What is the manufacturer of Zorbex 40?': 'Ultrafen Ltd',
      'What is Zorbex 40?': 'a pump for cold water',
    });
  });

  it('name their subject: the document, its section, or a named thing', async () => {
    const text = `# Lorwen Court – Tenancy Handbook

## 1. Deposit

900 pounds

## Opening hours

- Office: 9 to 17
- Laundry: 7 to 22

## Staff

| Name | Phone |
|---|---|
| Ada Quist | 4471 |
| Ben Oru | 4480 |

## Charges

| Item | Amount |
|---|---|
| Second key | 12 pounds |
| Up to 2 guests | 5 pounds |
| weekly | 30 pounds |
`;
    assert.deepEqual(await found(text), {
      'What is the deposit of Lorwen Court?': '900 pounds',
      'What is the office under Opening hours in Lorwen Court?': '9 to 17',
      'What is the laundry under Opening hours in Lorwen Court?': '7 to 22',
      'What is the phone of Ada Quist?': '4471',
      'What is the phone of Ben Oru?': '4480',
      'What is the amount of Second key in Charges of Lorwen Court?': '12 pounds',
    });
  });

  it('come from tables of properties with things as columns, with the units of values', async () => {
    const text = `# Ultrafen pumps

| Parameter | UF-10 | UF-25 |
|---|---|---|
| Flow rate | 10 l/h | 25 l/h |

| Parameter | Min | Max | Unit |
|---|---|---|---|
| Supply voltage | 3 | 5 | V |
| Current | 1 | 2 | A |
`;
    assert.deepEqual(await found(text), {
      'What is the flow rate of UF-10?': '10 l/h',
      'What is the flow rate of UF-25?': '25 l/h',
    });
  });

  it('come from questions with a short answer, about the document if they name nothing', async () => {
    const text = `# Larkspur FAQ

## What is the PUK?

A code of eight digits.

## How long does delivery take?

Two working days.

## How do I pay?

See the page below.
`;
    assert.deepEqual(await found(text), {
      'What is the PUK?': 'A code of eight digits.',
      'How long does delivery take (Larkspur FAQ)?': 'Two working days.',
    });
  });

  it('come from price lists with title, units and sections, by the code of a row instead of its number', async () => {
    const list = `"Lorwen Nursery, price list",,,,
,,,,
Pos,Part no.,Height (cm),Price EUR,Remarks
TREES,,,,
1,LT-4401,180-200,32.00,new
2,LT-4402,,POA,
SHRUBS,,,,
3,LS-2201,30-40*,8.75,
,LS-2202,ditto,9.10,
`;
    assert.deepEqual(await found(list, 'prices.csv'), {
      'What is the height (cm) of LT-4401?': '180-200',
      'What is the price EUR of LT-4401?': '32.00',
      'What is the height (cm) of LS-2201?': '30-40',
      'What is the price EUR of LS-2201?': '8.75',
      'What is the price EUR of LS-2202?': '9.10',
    });
  });

  it('belong to the right column despite spanning cells; calendars and measures give none', async () => {
    const page = `<title>Telephone numbers – Pellin Cross Health Centre</title><h1>Telephone</h1>
<table><tr><th>Desk<th>Number<th>Room<th>Lines open</tr>
<tr><td>Appointments¹<td>555 0160<td>12<td>8 to 11</tr>
<tr><td>Interpreter<td colspan=2>via Appointments<td>9 to 12</tr>
<tr><td>P1<td>555 0170<td><td></tr><tr><td>May<td>555 0180<td>4<td></tr></table>
<h2>Tickets</h2><table><tr><th>Visitor<th>Museum<th>Guide<th>Price</tr><tr><td>Adult guest<td>£8<td>£3.50<td>£10</tr><tr><td>Child guest<td>£4<td>£1<td>£5</tr></table>
<h2>C1 Opening hours</h2>
<table><tr><th>Clinic<th>Mon<th>Tue<th>Days</tr><tr><td>Dental clinic<td>9-17<td>closed<td>1</tr></table>`;
    assert.deepEqual(await found(page, 'phones.html'), {
      'What is the telephone number of Appointments in Telephone of Pellin Cross Health Centre?': '555 0160',
      'What is the room of Appointments in Telephone of Pellin Cross Health Centre?': '12',
      'What is the telephone number of Interpreter in Telephone of Pellin Cross Health Centre?': 'via Appointments',
      'What is the telephone number of desk P1 in Telephone of Pellin Cross Health Centre?': '555 0170',
      'What is the price of Adult guest in Tickets of Pellin Cross Health Centre?': '£10',
      'What is the price of Child guest in Tickets of Pellin Cross Health Centre?': '£5',
    });
  });

  it('come from numbered lines, unless the number belongs to the key', async () => {
    const lines = [
      '1. Deposit: 200 EUR',
      '2.1) Largest party: 40 guests',
      '24 Hour desk: 555 0100',
      '2 Bed room: 80 EUR',
    ];
    const passage = { number: 0, text: lines.join('\n'), headings: ['Tarrowby – Handbook', 'Rooms'] } as Passage;
    const facts = await factsOfDocument([passage], 'handbook.md');
    assert.deepEqual(
      facts.map(({ output }) => output),
      ['200 EUR', '40 guests'],
    );
  });

  it('come from lines of plain text under a numbered section, which does not count as a name', async () => {
    const text =
      '# Tarrowby – Handbook\n\n## C1 Working hours\n\nNormal week: 37.5 h\nLunch: 30 min, unpaid\nServes: 8\n';
    assert.deepEqual(await found(text), {
      'What is the normal week under C1 Working hours in Tarrowby?': '37.5 h',
      'What is the lunch under C1 Working hours in Tarrowby?': '30 min, unpaid',
    });
  });

  it('come from a datasheet under its title, also in plain text, with values and keys of all kinds, and count skipped lines', async () => {
    const sheet = `Oven Brenda - Data sheet

Maker: Varme AS
Operating temperature: 5 to 40 °C
Speed: 1400 rpm
Fuel: biogas
Service interval: 14 days
Contact: Pia Lund
Notes: clean it
`;
    const facts = {
      'What is the maker of Oven Brenda?': 'Varme AS',
      'What is the operating temperature of Oven Brenda?': '5 to 40 °C',
      'What is the speed of Oven Brenda?': '1400 rpm',
      'What is the fuel of Oven Brenda?': 'biogas',
      'What is the service interval of Oven Brenda?': '14 days',
      'Who is the contact of Oven Brenda?': 'Pia Lund',
    };
    for (const name of ['brenda.txt', 'brenda.md']) assert.deepEqual(await found(sheet, name), facts);
    assert.deepEqual(await found(sheet.replace('\n\n', '\n').replace(' - Data sheet', ''), 'b.txt'), facts);
    const unnamed = sheet
      .slice(sheet.indexOf('Maker'))
      .replace('Notes: clean it', 'Colour: something that nobody can tell now');
    assert.deepEqual([await found(unnamed, 'all.txt'), last.over], [{}, { lines: 7, rows: 0 }]);
  });

  it('name the section of lines in a text without headings, and omit lines whose section is ambiguous', async () => {
    const text = `Lorwen Court

It has a garden.

Opening hours

Office: 9 to 17
Laundry: 7 to 22

Owner

Ultrafen Ltd

Warranty: 3 years
Noise: 71 dB
`;
    assert.deepEqual(await found(text, 'court.txt'), {
      'What is the office under Opening hours in Lorwen Court?': '9 to 17',
      'What is the laundry under Opening hours in Lorwen Court?': '7 to 22',
    });
    assert.deepEqual(last.over, { lines: 2, rows: 0 });
  });

  it('come from pairs of questions and answers, from glossaries, and from definitions of common nouns', async () => {
    const text = `# Brill shop: frequently asked questions

## Who designed the Larsen cup?

Odd Larsen, in 1961.

**Which glue repairs the Larsen cup?**
Vitrofix 3.

Q: What does wrapping cost?
A: 3 EUR

## Definitions

A lehr is an oven in which glass cools slowly. A day is a long time.

Pontil mark: the scar that is left by the punty.
Cullet: broken glass that is melted again
`;
    assert.deepEqual(await found(text), {
      'Who designed the Larsen cup?': 'Odd Larsen, in 1961.',
      'Which glue repairs the Larsen cup?': 'Vitrofix 3.',
      'What does wrapping cost (Brill shop)?': '3 EUR',
      'What is a lehr?': 'an oven in which glass cools slowly',
      'What is the meaning of pontil mark in Brill shop?': 'the scar that is left by the punty',
      'What is the meaning of cullet in Brill shop?': 'broken glass that is melted again',
    });
  });

  it('name their document, and for minutes its date; a file name does not count as a title', async () => {
    const minutes = `# Minutes of the board of Brill Works

Date: 14 March 2027
Chair: Tessa Vinding

## Next meeting

20 June 2027
`;
    const by = 'according to the Minutes of the board of Brill Works of 14 March 2027?';
    assert.deepEqual(await found(minutes), {
      [`Who is the chair ${by}`]: 'Tessa Vinding',
      [`What is the next meeting ${by}`]: '20 June 2027',
    });
    assert.deepEqual(await found(minutes.replace('14 March 2027', 'soon')), {});
    const page = '<title>m.html</title><h1>Brill staff handbook</h1><h2>Safety officer</h2><p>Rune Abild</p>';
    assert.deepEqual(await found(page, 'm.html'), {
      'Who is the safety officer according to the Brill staff handbook?': 'Rune Abild',
    });
  });

  it('use the short names of products, keep the section of other rows, and skip rows of days', async () => {
    const list = `# Brill price list 2027

## Bowls

| Article | Price |
|---|---|
| Fjord bowl | 52 EUR |
| Large bowl | 39 EUR |

## Shipping

| Zone | Cost |
|---|---|
| Denmark | 6 EUR |
| Monday | 7 EUR |

- Order: 30 EUR
- Discount for schools: 20 %
`;
    assert.deepEqual(await found(list), {
      'What is the price of Fjord bowl?': '52 EUR',
      'What is the price of Large bowl in Bowls of Brill price list 2027?': '39 EUR',
      'What is the cost of Denmark in Shipping of Brill price list 2027?': '6 EUR',
      'What is the order under Shipping in Brill price list 2027?': '30 EUR',
      'What is the discount for schools under Shipping in Brill price list 2027?': '20 %',
    });
    assert.deepEqual(last.over, { lines: 0, rows: 1 });
  });

  it('do not come from programs, instructions, single lines with a colon, or questions with two answers', async () => {
    const text = `# Zorbex 40

Note: switch it off first.

\`\`\`
Host: localhost
Port: 8080;
\`\`\`

## Install

npm install zorbex

| Valve A1 | Code |
|---|---|
| Red valve | RV-1 |
| Red valve | RV-2 |

It is the best pump. This is the only way. Following is an example of a pump with a filter.
`;
    assert.deepEqual(await found(text), {});
  });
});
