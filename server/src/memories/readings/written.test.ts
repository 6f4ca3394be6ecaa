// Validation of a base's answers about a passage against the passage.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { maxAskedPassages } from '@lorekeep/contract';
import type { StoredPassage } from '../../documents/stored-passages.ts';
import { type Written, writtenFacts } from './written.ts';

const passage = (text: string, number = 0) =>
  ({ number, text, context: '', headings: ['Delivery'], page: 4, title: 'Larkspur' }) as unknown as StoredPassage;
const prose =
  'Larkspur delivers to islands on Tuesdays. The surcharge for islands is 12 euros, and parcels over 30 kg are brought by the firm Ultrafen.';

async function written(said: unknown, text = prose) {
  const asked: Written[] = [];
  const { found } = await writtenFacts(
    async (request) => {
      asked.push(request);
      return typeof said === 'string' ? said : JSON.stringify({ facts: said });
    },
    [passage(text)],
    'delivery.md',
    [{ input: 'When does Larkspur deliver?', output: 'x', subject: '', quote: 'x', page: null, confidence: 1 }],
  );
  return { asked, found: found.map(({ input, output, quote, page }) => [input, output, quote, page]) };
}

describe('facts that a base writes from prose', () => {
  it('are accepted with their sentence as quote, and with the topic if the question names nothing', async () => {
    const { asked, found } = await written([
      { question: 'Who brings parcels over 30 kg for Larkspur?', answer: 'the firm Ultrafen.' },
      { question: 'How much is the surcharge for islands?', answer: '12 euros' },
    ]);
    const quote = 'The surcharge for islands is 12 euros, and parcels over 30 kg are brought by the firm Ultrafen.';
    assert.deepEqual(found, [
      ['Who brings parcels over 30 kg for Larkspur?', 'the firm Ultrafen', quote, 4],
      ['How much is the surcharge for islands (Larkspur)?', '12 euros', quote, 4],
    ]);
    assert.match(asked[0]!.messages[0]!.content, /^From: Larkspur > Delivery\nText: Larkspur delivers/);
    assert.ok(asked[0]!.json_schema);
  });

  it('are dropped if the answer is not in the text, or the question refers to the text or is known', async () => {
    const { found } = await written([
      { question: 'How much is the surcharge for islands?', answer: '15 euros' },
      { question: 'How much is this surcharge for islands?', answer: '12 euros' },
      { question: 'When does Larkspur deliver?', answer: 'on Tuesdays' },
      { question: 'Surcharge for islands', answer: '12 euros' },
      { question: 'What colour has the moon of Jupiter?', answer: '12 euros' },
      { question: 'On which days does Larkspur deliver to islands?', answer: '' },
    ]);
    assert.deepEqual(found, []);
  });

  it('are empty if the base writes no JSON, or is not asked because there is no prose', async () => {
    for (const said of ['I cannot do that.', '{"facts": [{"question": "Wh', '{"facts": 3}', ''])
      assert.deepEqual((await written(said)).found, []);
    for (const text of ['Valve | Code\nRed valve | RV-1, which is a valve that is red and made of brass.', 'Short.'])
      assert.equal((await written([], text)).asked.length, 0);
  });

  it('are requested for a bounded number of passages', async () => {
    let asked = 0;
    const passages = Array.from({ length: maxAskedPassages + 3 }, (_, at) => passage(`${prose} Part ${at}.`, at));
    const { cut } = await writtenFacts(async () => `${asked++}`, passages, 'delivery.md', []);
    assert.deepEqual([asked, cut], [maxAskedPassages, true]);
  });
});
