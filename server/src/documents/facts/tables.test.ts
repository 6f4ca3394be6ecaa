// Facts of the tables that organisations write: prices of variants, lists with sections, columns of plain text, tables without a header.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { factFinder } from '../../testing/found-facts.ts';

describe('facts of tables', () => {
  const { found } = factFinder();

  it('come from prices of variants, with the currency that the document states', async () => {
    const list = `# Spokes workshop

All prices are in EUR.

## Repairs

| No. | Job | City / trekking | E-bike | Time |
|---|---|---|---|---|
| 1.1 | Small service | 59 | 75 | 1 h |
| 1.2 | Wheel build | 65 | ask | 2 h |

## Hire

| Bike | Half day | 3 days | Deposit | Crew |
|---|---|---|---|---|
| Cargo bike | 20.00 | 85.00 | 200 | 2 |
| Tandem | 25.00 | on request | 300 | 2 |
`;
    assert.deepEqual(await found(list), {
      'What is the price in EUR of Small service for city / trekking in Repairs of Spokes workshop?': '59',
      'What is the price in EUR of Small service for E-bike in Repairs of Spokes workshop?': '75',
      'What is the time of Small service in Repairs of Spokes workshop?': '1 h',
      'What is the price in EUR of Wheel build for city / trekking in Repairs of Spokes workshop?': '65',
      'What is the time of Wheel build in Repairs of Spokes workshop?': '2 h',
      'What is the price in EUR of Cargo bike for half a day in Hire of Spokes workshop?': '20.00',
      'What is the price in EUR of Cargo bike for 3 days in Hire of Spokes workshop?': '85.00',
      'What is the deposit of Cargo bike in Hire of Spokes workshop?': '200',
      'What is the crew of Cargo bike in Hire of Spokes workshop?': '2',
      'What is the price in EUR of Tandem for half a day in Hire of Spokes workshop?': '25.00',
      'What is the deposit of Tandem in Hire of Spokes workshop?': '300',
      'What is the crew of Tandem in Hire of Spokes workshop?': '2',
    });
  });

  it('come from article lists by description and number, below every section of the list', async () => {
    const row = (code: string, name: string, price: string) => `<tr><td>${code}<td>${name}<td>pair<td>${price}<td>`;
    const section = (name: string) => `<tr><th colspan=5>${name}`;
    const page = `<title>Price list Q2 – Corvane Supplies</title><h1>CORVANE Supplies</h1><table>
<tr><th>Art. no.<th>Description<th>Per<th>Price<th>Remarks
${section('A – GLOVES')}${row('A-10', 'Glove, size 8', '6.85')}${row('A-11', 'Glove, size 9', '6.95')}
${section('B – BOOTS')}${row('B-10', 'Boot, size 40', '26.00')}</table>`;
    assert.deepEqual(await found(page, 'list.html'), {
      'What is the price per pair of Glove, size 8 (A-10) in Corvane Supplies?': '6.85',
      'What is the price per pair of Glove, size 9 (A-11) in Corvane Supplies?': '6.95',
      'What is the price per pair of Boot, size 40 (B-10) in Corvane Supplies?': '26.00',
    });
  });

  it('come from columns of plain text, and from hours by days', async () => {
    const text = `LINGUARIUM - Language School, Olmo Street 14

1 Courses

Course        Units per week  Fee
Standard      4               318 EUR
Exam preparation of all levels 2  198 EUR
Evening                       245 EUR

2 Office hours / Horario

Monday to Thursday   9.30-13.30
Friday               9.30-14.00
August               closed
`;
    assert.deepEqual(await found(text, 'school.txt'), {
      'What are the units per week of Standard in Courses of LINGUARIUM?': '4',
      'What is the fee of Standard in Courses of LINGUARIUM?': '318 EUR',
      'What is the fee of Evening in Courses of LINGUARIUM?': '245 EUR',
      'What are the office hours on Monday to Thursday in LINGUARIUM?': '9.30-13.30',
      'What are the office hours on Friday in LINGUARIUM?': '9.30-14.00',
    });
  });

  it('come from tables without a header, of people and of properties, with the unit of another column', async () => {
    const text = `<h1>Lorwen Court</h1><h2>Officers</h2>
<table><tr><td>Secretary<td>Ada Quist<td>ada@lorwen.example<tr><td>Treasurer<td>Dr. Ben Oru<td>555 0101<tr><td>Welfare<td>Cleo Marsh<td></table>
<h2>Boiler</h2><table><tr><th>Item<th>Boiler<th>Pump<tr><td>Weight<td>80 kg<td>4 kg<tr><td>Serial<td>B-77<td>P-12</table>
<h2>Garden</h2><table><tr><th>Property<th>Value<th>Unit<tr><td>Area<td>420<td>m²<tr><td>Trees<td>12<td>–</table>`;
    assert.deepEqual(await found(text, 'court.html'), {
      'Who is the secretary under Officers in Lorwen Court?': 'Ada Quist',
      'Who is the treasurer under Officers in Lorwen Court?': 'Dr. Ben Oru',
      'What is the weight of the boiler in Lorwen Court?': '80 kg',
      'What is the weight of the pump in Lorwen Court?': '4 kg',
      'What is the serial of the boiler in Lorwen Court?': 'B-77',
      'What is the serial of the pump in Lorwen Court?': 'P-12',
      'What is the area in m² under Garden in Lorwen Court?': '420',
    });
  });

  it('use the words of a document in another language', async () => {
    const text = `# Käserei Murgenalp

Die Käserei liegt auf der Alp und ist von Mai bis Oktober offen. Der Käse wird im Keller mit Salz gepflegt und nur hier verkauft.

## Preise

| Name | Reifung | Laden | Markt |
|---|---|---|---|
| Murgner mild | 4 Monate | 19.80 | 21.00 |
| Ziger | frisch | 8.00 | 8.50 |
`;
    assert.deepEqual(await found(text), {
      'Murgner mild (Käserei Murgenalp, Preise): Reifung?': '4 Monate',
      'Murgner mild (Käserei Murgenalp, Preise): Laden, Preis?': '19.80',
      'Murgner mild (Käserei Murgenalp, Preise): Markt, Preis?': '21.00',
      'Ziger (Käserei Murgenalp, Preise): Reifung?': 'frisch',
      'Ziger (Käserei Murgenalp, Preise): Laden, Preis?': '8.00',
      'Ziger (Käserei Murgenalp, Preise): Markt, Preis?': '8.50',
    });
  });
});
