// Quotes for follow-ups in a conversation. Word overlap replaces the similarity of meaning here; the tests of answers use the embedder.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { passage, shared } from '../testing/passages.ts';
import { quoteOfFollowUp } from './follow-up.ts';
import { pointsBack, threadOf } from './readings.ts';

const hours = passage(
  'Place | Weekdays | Saturday | Sunday\nPool | 7:00 to 21:00 | 8:00 to 20:00 | 9:00 to 18:00\nSauna | 10:00 to 22:00 | 11:00 to 23:00 | 12:00 to 19:00',
  { headings: ['Opening hours'] },
);
const house = passage(
  'The lifeguard is Ilse Brandt. The hall was built in 1962 by Otto Wend. Lockers need a coin of 2 euros.',
);
const shifts = passage('Work on Sundays is paid with a supplement of 50 %.', { file: 'staff.md', headings: ['Pay'] });

const followed = async (thread: string[], text: string, strict = false) =>
  (await quoteOfFollowUp({ thread, text, strict }, [hours, house, shifts], shared))?.text;

describe('quoting for a follow-up', () => {
  it('a phrase of the question before is replaced, wherever it stands', async () => {
    const asked = 'What are the opening hours of the pool on weekdays?';
    assert.equal(await followed([asked], 'And on Sundays?'), 'Pool, Sunday: 9:00 to 18:00');
    assert.equal(await followed([asked], 'and the sauna?'), 'Sauna, Weekdays: 10:00 to 22:00');
  });

  it('replaced phrases stay replaced in the next follow-up', async () => {
    const asked = 'What are the opening hours of the pool on weekdays?';
    assert.equal(await followed([asked, 'And on Sundays?'], 'and the sauna?'), 'Sauna, Sunday: 12:00 to 19:00');
  });

  it('a question goes back to an earlier one of the thread', async () => {
    const lunch =
      'The lunch is delivered by Greenbag Catering. The lunch price is 4 euros; with a city card it is 1 euro.';
    const asked = { thread: ['lunch price', 'and with a city card?'], text: 'who delivers it?', strict: false };
    const quote = await quoteOfFollowUp(asked, [passage(lunch, { headings: ['School lunch'] })], shared);
    assert.match(quote?.text ?? '', /Greenbag Catering\.$/);
  });

  it('the type that is asked for may stand for words that differ', async () => {
    const hotline =
      'Our hotline for customers has the number 0800 220 6611, daily from 9 am to 8 pm. Postage is paid by us.';
    const asked = { thread: ['hotline number for customers'], text: 'when can I reach it?', strict: false };
    assert.match((await quoteOfFollowUp(asked, [passage(hotline)], shared))?.text ?? '', /9 am to 8 pm/);
  });

  it('a pronoun stands for the subject of the question before, with the type that the follow-up asks for', async () => {
    assert.match((await followed(['Who built the hall?'], 'When was that?')) ?? '', /1962/);
    assert.match((await followed(['When was the hall built?'], 'And who built it?')) ?? '', /Otto Wend/);
  });

  it('what comes next is the sentence after', async () => {
    const refund =
      'Tickets can be cancelled free of charge for two days. After that, half of the fare is refunded. Dogs are free.';
    const asked = { thread: ['Can I cancel my ticket?'], text: 'and after that?', strict: false };
    const quote = await quoteOfFollowUp(asked, [passage(refund)], shared);
    assert.equal(quote?.text, 'After that, half of the fare is refunded.');
    assert.equal(refund.slice(quote?.start, quote?.end), quote?.text);
  });

  it('a question behind another one begins with no name', async () => {
    const list = passage('Product | Size | Price | Stock\nBin | 400 l | 45 | 14\nHose | 20 m | 32 | 8');
    const asked = { thread: ['price of the hose'], text: 'How many are in stock?', strict: true };
    assert.equal((await quoteOfFollowUp(asked, [list], shared))?.text, 'Hose, Stock: 8');
  });

  it('nothing is quoted that lacks what the follow-up asks for', async () => {
    assert.equal(await followed(['Who is the lifeguard?'], 'What is her telephone number?'), undefined);
    assert.equal(await followed(['What are the opening hours of the pool?'], 'and the library?'), undefined);
  });

  it('a message that may stand alone is a follow-up only with all its words', async () => {
    assert.equal(
      await followed(['opening hours of the pool on Saturday'], 'sauna', true),
      'Sauna, Saturday: 11:00 to 23:00',
    );
    assert.equal(await followed(['opening hours of the pool on Saturday'], 'sauna towels', true), undefined);
  });
});

describe('the thread of a message', () => {
  it('pronouns and fragments point back, questions with a subject do not', () => {
    for (const text of [
      'when does it end?',
      'And on Sundays?',
      'for how long?',
      'What do they cost?',
      'und am Sonntag?',
    ])
      assert.equal(pointsBack(text), 'surely', text);
    for (const text of ['what about parking?', 'And trainees?']) assert.equal(pointsBack(text), 'perhaps', text);
    for (const text of ['When does the pool open?', 'return period', 'Wie erreiche ich Sie?', 'Is there a gym?'])
      assert.equal(pointsBack(text), undefined, text);
  });

  it('goes back to the last question that stands alone', () => {
    const earlier = ['Who is the mayor?', 'When does the pool open?', 'And on Sundays?'];
    assert.deepEqual(threadOf(earlier), ['When does the pool open?', 'And on Sundays?']);
    assert.deepEqual(threadOf([]), []);
    assert.deepEqual(threadOf(['', 'and it?']), ['and it?']);
  });
});
