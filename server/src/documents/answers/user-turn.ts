// Finds the question of a prompt in any chat template: the text of its last user turn. The rest of the prompt is never changed.
import { chatTemplates, wordedTemplates } from '@lorekeep/contract';

export interface UserTurn {
  /** The bare question. */
  question: string;
  /** Texts of the user's turns before it, the oldest first. */
  earlier: string[];
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

/** Number of earlier turns that are read; follow-ups refer to the last ones. */
const maxEarlierTurns = 3;

export function userTurn(prompt: string): UserTurn {
  for (const { begins, before: leading, ends } of templates) {
    const turns = [...prompt.matchAll(begins)].map((mark) => mark.index + mark[0].length);
    const last = turns.pop();
    if (last === undefined) continue;
    const textFrom = (begin: number) => begin + (leading ? (leading.exec(prompt.slice(begin))?.[0].length ?? 0) : 0);
    const from = textFrom(last);
    const ended = prompt.slice(from).search(ends);
    // A question about a template may quote it.
    if (!templateStart.test(prompt) && !(ended >= 0 && continuationMarks.has(prompt.trimEnd().at(-1)!))) continue;
    const until = ended < 0 ? prompt.length : from + ended;
    const inside = prompt.slice(from, until);
    const lead = inside.length - inside.trimStart().length;
    const question = inside.trim();
    const before = prompt.slice(0, from + lead);
    const after = prompt.slice(from + lead + question.length);
    const earlier = turns.slice(-maxEarlierTurns).map((begin) => {
      const text = prompt.slice(textFrom(begin), last);
      const end = text.search(ends);
      return (end < 0 ? text : text.slice(0, end)).trim();
    });
    return { question, earlier, with: (text) => before + text + after, templated: true };
  }
  return { question: prompt.trim(), earlier: [], with: (text) => text, templated: false };
}

/** The last message of the user in a conversation, and those before it. */
export function lastQuestion(messages: { role: string; content: string }[]): { text: string; earlier: string[] } {
  const said = messages.filter(({ role }) => role === 'user').map(({ content }) => content.trim());
  return { text: said.at(-1) ?? '', earlier: said.slice(0, -1).slice(-maxEarlierTurns) };
}
