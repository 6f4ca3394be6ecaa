// Finds the last user turn of a prompt that stands in a chat template, whichever it is: that is the question. The rest of the prompt is never changed.

export interface UserTurn {
  /** The bare question. */
  question: string;
  /** The prompt with something else in the place of the question. */
  with(text: string): string;
  /** The prompt stands in a template. Else it is the bare question as a whole. */
  templated: boolean;
}

interface Template {
  /** How turns of the user begin. */
  begins: RegExp;
  /** What stands before the question in them. */
  before?: RegExp;
  ends: RegExp;
}

/** All of it is found in one pass: prompts have any length. */
const templates: Template[] = [
  // Llama 3, Llama 4
  {
    begins: /<\|start_header_id\|>user<\|end_header_id\|>\s*/g,
    ends: /<\|eot_id\|>|<\|end_of_text\|>|<\|start_header_id\|>/,
  },
  { begins: /<\|header_start\|>user<\|header_end\|>\s*/g, ends: /<\|eot\|>|<\|header_start\|>/ },
  // ChatML: Qwen and many others; Phi 4; Kimi
  { begins: /<\|im_start\|>user(?:<\|im_sep\|>|\s*?\n)/g, ends: /<\|im_end\|>|<\|im_start\|>/ },
  { begins: /<\|im_user\|>user<\|im_middle\|>/g, ends: /<\|im_end\|>|<\|im_assistant\|>/ },
  // Gemma
  { begins: /<start_of_turn>user\s*?\n/g, ends: /<end_of_turn>|<start_of_turn>/ },
  // Granite
  {
    begins: /<\|start_of_role\|>user<\|end_of_role\|>/g,
    ends: /<\|end_of_text\|>|<\|start_of_role\|>/,
  },
  // gpt-oss
  { begins: /<\|start\|>user<\|message\|>/g, ends: /<\|end\|>|<\|start\|>/ },
  // EXAONE
  { begins: /\[\|user\|\]/g, ends: /\[\|endofturn\|\]|\[\|assistant\|\]/ },
  // Phi, Zephyr, TinyLlama, GLM, OLMo
  { begins: /<\|user\|>\s*?\n?/g, ends: /<\|end\|>|<\/s>|<\|assistant\|>|<\|endoftext\|>/ },
  // DeepSeek
  { begins: /<｜User｜>/g, ends: /<｜Assistant｜>|<｜end▁of▁sentence｜>/ },
  // Mistral, Llama 2
  { begins: /\[INST\]/g, before: /^\s*<<SYS>>[\s\S]*?<<\/SYS>>/, ends: /\[\/INST\]/ },
  // Command R
  { begins: /<\|START_OF_TURN_TOKEN\|><\|USER_TOKEN\|>/g, ends: /<\|END_OF_TURN_TOKEN\|>/ },
  // In words alone: Alpaca, Solar and their kin; Vicuna; Phi 2 and others
  { begins: /^#{2,3} ?(?:Instruction|User|Human):\s*/gm, ends: /\n#{2,3} ?(?:Response|Assistant|Input)/ },
  { begins: /(?<=^|\s)USER:\s*/g, ends: /\sASSISTANT:/ },
  { begins: /^(?:User|Human|Instruct):\s*/gm, ends: /\n(?:Assistant|AI|Output):/ },
];

/** How prompts in templates begin: with the first token, or with a turn. */
const start =
  /^\s*(?:<[|｜]|<(?:s|bos|BOS_TOKEN|start_of_turn)>|\[(?:INST|SYSTEM_PROMPT|AVAILABLE_TOOLS|gMASK)\]|\[\||#{2,3} ?(?:Instruction|User|Human|System):)/;
/** How those end that begin with words: with what the model is to go on from. */
const end = new Set([']', '>', ':']);

export function userTurn(prompt: string): UserTurn {
  for (const { begins, before: leading, ends } of templates) {
    const last = [...prompt.matchAll(begins)].at(-1);
    if (!last) continue;
    let from = last.index + last[0].length;
    if (leading) from += leading.exec(prompt.slice(from))?.[0].length ?? 0;
    const ended = prompt.slice(from).search(ends);
    // Who asks about a template quotes it.
    if (!start.test(prompt) && !(ended >= 0 && end.has(prompt.trimEnd().at(-1)!))) continue;
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
