// lorekeep memory erase and verify, and lorekeep receipts: erases facts everywhere, with signed receipts.
import { createHash, createPublicKey, verify } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Erasure, removedInWords } from '@lorekeep/client';
import { collectItems } from '../collect-items.ts';
import type { Command, Context, ParsedArguments } from '../command.ts';
import { EndedError, PartlyError, UsageError } from '../exit.ts';
import { count, shortTime } from '../format.ts';
import { table } from '../terminal.ts';

export const memoryErase: Command = {
  name: 'memory erase',
  summary: 'erase facts from every version of a memory and from everything that stores their text',
  words: 'NAME [QUESTION ...]',
  names: 'tuned',
  options: {
    about: { value: 'TEXT', about: 'instead of questions: every fact that contains this name' },
    'dry-run': { about: 'list what would be erased, with the digest of the list, and change nothing' },
    again: { value: 'NUMBER', about: 'instead of questions: the facts of a failed erasure' },
    digest: { value: 'HASH', about: 'the digest that --dry-run printed; required with --about' },
    reason: { value: 'TEXT', about: 'why; kept with the change, so without the text of the facts' },
    watch: { short: 'w', about: 'wait until it is over' },
  },
  more: 'Needs an admin key. It cannot be undone.',
  async run(context, given) {
    const [name, ...inputs] = given.words as [string, ...string[]];
    const about = given.text('about');
    const again = given.number('again');
    if ([about, again, inputs[0]].filter((one) => one !== undefined).length !== 1)
      throw new UsageError('Name questions, or --about TEXT, or --again NUMBER.');
    if (again !== undefined) {
      if (given.is('dry-run')) throw new UsageError('--again takes the facts of the failed erasure.');
      const retried = await context.client().retryErasure({ name, number: again }, context);
      return await watched(context, given, name, retried);
    }
    const chosen = about === undefined ? { inputs } : { about };
    if (given.is('dry-run')) return await list(context, name, chosen);
    if (about !== undefined && given.text('digest') === undefined)
      throw new UsageError('--about needs --digest: list the facts with --dry-run first, which prints it.');
    const asked = { name, ...chosen, digest: given.text('digest'), reason: given.text('reason') };
    await watched(context, given, name, await context.client().eraseFacts(asked, context));
  },
};

async function list(context: Context, name: string, chosen: { inputs: string[] } | { about: string }): Promise<void> {
  const plan = await context.client().planErasure({ name, ...chosen }, context);
  const { facts, versions, datasets, sources, still_held } = plan;
  const ended = versions.filter(({ becomes }) => becomes === 'ended').map(({ version }) => version);
  context.show(plan, () =>
    [
      ...facts.map(({ input, output }) => `${input}\n  ${output}`),
      '',
      `${count(facts.length, 'fact')} in ${count(versions.length, 'version')}, ${count(datasets.length, 'dataset')}.`,
      ...(ended.length > 0 ? [`No fact is left of version ${ended.join(', ')}: ended.`] : []),
      ...datasets.map(({ dataset_id, name, rows }) => `${count(rows, 'row')} of the dataset ${name ?? dataset_id}.`),
      ...sources.map(({ input }) => `Stays, and its source is overwritten: ${input}`),
      ...still_held.map((held) => `Stays in ${held}.`),
      `Nothing was changed. To erase them: --digest ${plan.digest}`,
    ].join('\n'),
  );
}

async function watched(context: Context, given: ParsedArguments, name: string, ordered: Erasure): Promise<void> {
  let erasure = ordered;
  const { number } = erasure;
  while (given.is('watch') && erasure.finished_at === null) {
    await sleep(300, undefined, { signal: context.signal });
    erasure = await context.client().showErasure({ name, number }, context);
  }
  if (erasure.state === 'failed')
    throw new EndedError(
      `The erasure ${number} failed: ${erasure.error} ${context.program} memory erase ${name} --again ${number}`,
    );
  context.show(erasure, () => String(erasure.receipt ?? number));
  if (erasure.receipt === null)
    context.terminal.say(`The erasure ${number} is ${erasure.step}: ${context.program} memory erasures ${name}`);
  else
    context.terminal.say(
      `Erased: ${removedInWords(erasure).join(', ')}.\nThe receipt: ${context.program} receipts show ${erasure.receipt}`,
    );
}

export const memoryErasures: Command = {
  name: 'memory erasures',
  summary: 'the erasures of a memory, newest first',
  words: 'NAME',
  names: 'tuned',
  async run(context, given) {
    const found = await collectItems(context.client().allErasures({ name: given.words[0]!, limit: 1000 }, context));
    context.show(found, () =>
      table([
        ['NUMBER', 'WHEN', 'WHO', 'STATE', 'FACTS', 'VERSIONS', 'RECEIPT', 'WHY', 'REMOVED'],
        ...found.map((one) => [
          String(one.number),
          shortTime(one.created_at),
          one.by,
          one.state === 'running' ? one.step : one.state,
          String(one.facts),
          String(one.versions.length),
          one.receipt === null ? '' : String(one.receipt),
          one.error ?? one.reason ?? '',
          removedInWords(one).join(', '),
        ]),
      ]),
    );
  },
};

export const memoryVerify: Command = {
  name: 'memory verify',
  summary: 'teach random experts of a version again and compare them bit for bit',
  words: 'NAME VERSION',
  names: 'tuned',
  options: {
    experts: { value: 'COUNT', about: 'number of experts, at most 20; 3 without it' },
    seed: { value: 'NUMBER', about: 'chooses the experts; a random one without it' },
  },
  more: 'Exits with 7 if an expert differs.',
  async run(context, given) {
    const [name, word] = given.words as [string, string];
    if (!/^[1-9][0-9]{0,8}$/.test(word)) throw new UsageError(`"${word}" is not the number of a version.`);
    const asked = { name, version: Number(word), experts: given.number('experts') ?? 3, seed: given.number('seed') };
    const found = await context.client().verifyMemoryVersion(asked, context);
    context.show(found, () =>
      table([
        ['EXPERT', 'FACTS', 'SAME'],
        ...found.compared.map(({ expert, facts, same }) => [expert, String(facts), same ? 'yes' : 'no']),
      ]),
    );
    const differing = found.compared.filter(({ same }) => !same).length;
    if (differing > 0)
      throw new PartlyError(`${count(differing, 'expert')} differ (seed ${found.seed}). ${found.note ?? ''}`.trim());
    context.terminal.say(
      `${count(found.compared.length, 'expert')} of ${found.experts}: the same bit for bit (seed ${found.seed}).`,
    );
  },
};

export const receiptsList: Command = {
  name: 'receipts list',
  summary: 'the receipts of erasures, newest first',
  async run(context) {
    const found = await collectItems(context.client().allReceipts({ limit: 1000 }, context));
    context.show(found, () =>
      table([
        ['NUMBER', 'WHEN', 'MEMORY', 'FACTS', 'GONE'],
        ...found.map((one) => [
          String(one.number),
          shortTime(one.created_at),
          one.memory,
          String(one.facts),
          one.gone ? 'yes' : 'not shown',
        ]),
      ]),
    );
  },
};

export const receiptsShow: Command = {
  name: 'receipts show',
  summary: 'one receipt, as it was signed',
  words: 'NUMBER [FILE]',
  async run(context, given) {
    const receipt = await context.client().showReceipt({ number: Number(given.words[0]) }, context);
    await writeOrShow(context, given.words[1], `${JSON.stringify(receipt, null, 1)}\n`, receipt);
  },
};

export const receiptsKey: Command = {
  name: 'receipts key',
  summary: 'the public key of the installation, with which receipts are verified',
  words: '[FILE]',
  async run(context, given) {
    const key = await context.client().showReceiptKey(context);
    await writeOrShow(context, given.words[0], key.public_key, key);
  },
};

async function writeOrShow(context: Context, file: string | undefined, text: string, value: unknown): Promise<void> {
  if (file === undefined) return context.show(value, () => text.trimEnd());
  await writeFile(file, text, { flag: 'wx' }).catch((error) => {
    throw error.code === 'EEXIST' ? new UsageError(`There is "${file}" already. Choose another name.`) : error;
  });
  context.show({ file }, () => file);
}

export const receiptsVerify: Command = {
  name: 'receipts verify',
  summary: 'check the signature of a receipt with the public key, without a server',
  words: 'FILE',
  options: {
    key: { value: 'FILE', about: 'the public key (PEM), as `receipts key FILE` wrote it' },
    question: { value: 'TEXT', about: 'with --answer: check that the receipt is of exactly this fact' },
    answer: { value: 'TEXT', about: 'the answer of that fact, as it was taught' },
  },
  more: 'Exits with 1 if the signature is invalid. On the server, GET /v1/receipts/{number}/verify also compares its hashes with the models.',
  async run(context, given) {
    const [keyFile, question, answer] = [given.text('key'), given.text('question'), given.text('answer')];
    if (keyFile === undefined) throw new UsageError('--key FILE is needed: the public key of the installation.');
    if ((question === undefined) !== (answer === undefined))
      throw new UsageError('--question and --answer go together.');
    const receipt = readReceipt(await textOf(given.words[0]!), given.words[0]!);
    const fingerprint = checkSignature(receipt, await textOf(keyFile));
    const { number, memory, facts, salt, gone } = receipt.receipt;
    if (question !== undefined) {
      const hash = createHash('sha256')
        .update(salt + JSON.stringify([question, answer]))
        .digest('hex');
      if (!facts.includes(hash)) throw new Error(`The receipt ${number} is signed, and is not of this fact.`);
    }
    const verdict = { sound: true, number, memory, facts: facts.length, gone, fingerprint };
    context.show(
      verdict,
      () => `Receipt ${number} of ${memory}: signed by ${fingerprint}, ${count(facts.length, 'fact')}.`,
    );
  },
};

interface Signed {
  receipt: { number: number; memory: string; facts: string[]; salt: string; gone: boolean };
  signature: string;
  fingerprint: string;
}

async function textOf(file: string): Promise<string> {
  return await readFile(file, 'utf8').catch((error) => {
    throw new UsageError(`"${file}" cannot be read (${error.code}).`);
  });
}

function readReceipt(text: string, file: string): Signed {
  try {
    const found = JSON.parse(text) as Signed;
    if (Array.isArray(found.receipt.facts) && typeof found.signature === 'string') return found;
  } catch {
    // Reported below.
  }
  throw new UsageError(`"${file}" is not a receipt.`);
}

function checkSignature({ receipt, signature, fingerprint }: Signed, pem: string): string {
  let key: ReturnType<typeof createPublicKey>;
  try {
    key = createPublicKey(pem);
  } catch {
    throw new UsageError('The file of --key is not a public key in PEM.');
  }
  const own = createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex');
  if (own !== fingerprint) throw new Error(`The receipt names the key ${fingerprint}, and this one is ${own}.`);
  const bytes = Buffer.from(canonical(receipt));
  if (key.asymmetricKeyType !== 'ed25519' || !verify(null, bytes, key, Buffer.from(signature, 'base64')))
    throw new Error(
      `The signature of receipt ${receipt.number} is invalid: the receipt was changed, or another key signed it.`,
    );
  return own;
}

/** Canonical JSON as it was signed: sorted names, no spaces. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${entries.map(([name, one]) => `${JSON.stringify(name)}:${canonical(one)}`).join(',')}}`;
}
