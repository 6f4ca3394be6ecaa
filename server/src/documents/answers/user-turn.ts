// Finds the question of a prompt in any chat template: the text of its last user turn. The rest of the prompt is never changed.
import { chatTemplates, wordedTemplates } from '@lorekeep/contract';

export interface UserTurn {
  /** The bare question. */
  question: string;
  /** Returns the prompt with the question replaced. */
  with(text: string): string;
  /** Whether the prompt uses a chat template. If not, the whole prompt is the question. */
  templated: boolean;
}

interface Template {
  /** Start of a user turn. */
  begins: RegExp;
  /** Text before the question inside of the turn. */
  before?: RegExp;
  ends: RegExp;
}

const { heading, line, inline } = wordedTemplates;

/** Finds all marks in one pass, since prompts can be of any length. */
const templates: Template[] = [
  ...chatTemplates.map(({ begins, ends, system }) => ({
    begins: new RegExp(begins.map((mark) => escaped(mark).replace('\n', '\\s*?\n')).join('|'), 'g'),
    ends: new RegExp(ends.map(escaped).join('|')),
    ...(system && { before: new RegExp(`^\\s*${system.map(escaped).join('[\\s\\S]*?')}`) }),
  })),
  {
    begins: new RegExp(`^#{2,3} ?(?:${heading.begins.join('|')}):\\s*`, 'gm'),
    ends: new RegExp(`\n#{2,3} ?(?:${heading.ends.join('|')})`),
  },
  {
    begins: new RegExp(`(?<=^|\\s)(?:${inline.begins.join('|')}):\\s*`, 'g'),
    ends: new RegExp(`\\s(?:${inline.ends.join('|')}):`),
  },
  { begins: new RegExp(`^(?:${line.begins.join('|')}):\\s*`, 'gm'), ends: new RegExp(`\n(?:${line.ends.join('|')}):`) },
];

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** Start of a prompt in a template: the first token, or a turn. */
const templateStart =
  /^\s*(?:<[|｜]|<(?:s|bos|BOS_TOKEN|start_of_turn)>|\[(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|gMASK)\]|\[\||#{2,3} ?(?:Instruction|User|Human|System):)/;
/** End of prompts in templates of plain words: the mark after which the model continues. */
const continuationMarks = new Set([']', '>', ':']);

export function userTurn(prompt: string): UserTurn {
  for (const { begins, before: leading, ends } of templates) {
    const last = [...prompt.matchAll(begins)].at(-1);
    if (!last) continue;
    let from = last.index + last[0].length;
    if (leading) from += leading.exec(prompt.slice(from))?.[0].length ?? 0;
    const ended = prompt.slice(from).search(ends);
    // A question about a template may quote it.
    if (!templateStart.test(prompt) && !(ended >= 0 && continuationMarks.has(prompt.trimEnd().at(-1)!))) continue;
    const until = ended < 0 ? prompt.length : from + ended;
    const inside = prompt.slice(from, until);
    const lead = inside.length - inside.trimStart().length;
    const question = inside.trim();
    const before = prompt.slice(0, from + lead);
    const after = prompt.slice(from + lead + question.length);
    return { question, with: (text) => before + text + after, templated: true };
  }
  return { question: prompt.trim(), with: (text) => text, templated: false };
}
