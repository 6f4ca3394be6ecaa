// Marks of a turn of the user in the chat templates of model families. engine/lorekeep/contract.py has the same table;
// engine/protocol/prompts.json holds a prompt in each, in which both languages find the question.

export interface ChatTemplate {
  families: string;
  /** The user's turn follows any of these. A newline stands for the rest of the line. */
  begins: readonly string[];
  /** The first of these after it is no part of it any more. */
  ends: readonly string[];
  /** Marks around a system message inside of the user's turn. */
  system?: readonly [string, string];
}

export const chatTemplates: readonly ChatTemplate[] = [
  {
    families: 'Llama 3',
    begins: ['<|start_header_id|>user<|end_header_id|>'],
    ends: ['<|eot_id|>', '<|end_of_text|>', '<|start_header_id|>'],
  },
  { families: 'Llama 4', begins: ['<|header_start|>user<|header_end|>'], ends: ['<|eot|>', '<|header_start|>'] },
  {
    families: 'ChatML: Qwen and many others; Phi 4',
    begins: ['<|im_start|>user<|im_sep|>', '<|im_start|>user\n'],
    ends: ['<|im_end|>', '<|im_start|>'],
  },
  { families: 'Kimi', begins: ['<|im_user|>user<|im_middle|>'], ends: ['<|im_end|>', '<|im_assistant|>'] },
  { families: 'Gemma', begins: ['<start_of_turn>user\n'], ends: ['<end_of_turn>', '<start_of_turn>'] },
  {
    families: 'Granite',
    begins: ['<|start_of_role|>user<|end_of_role|>'],
    ends: ['<|end_of_text|>', '<|start_of_role|>'],
  },
  { families: 'gpt-oss', begins: ['<|start|>user<|message|>'], ends: ['<|end|>', '<|start|>'] },
  { families: 'EXAONE', begins: ['[|user|]'], ends: ['[|endofturn|]', '[|assistant|]'] },
  {
    families: 'Phi, Zephyr, TinyLlama, GLM, OLMo',
    begins: ['<|user|>'],
    ends: ['<|end|>', '</s>', '<|assistant|>', '<|endoftext|>'],
  },
  { families: 'DeepSeek', begins: ['<｜User｜>'], ends: ['<｜Assistant｜>', '<｜end▁of▁sentence｜>'] },
  { families: 'Mistral, Llama 2', begins: ['[INST]'], ends: ['[/INST]'], system: ['<<SYS>>', '<</SYS>>'] },
  {
    families: 'Command R',
    begins: ['<|START_OF_TURN_TOKEN|><|USER_TOKEN|>'],
    ends: ['<|END_OF_TURN_TOKEN|>'],
  },
];

/** Templates of plain words, by their form of a role: "### Role:", "Role:" at the start of a line, or "ROLE:" within a line. */
export const wordedTemplates = {
  /** Alpaca, Solar and others. */
  heading: { begins: ['Instruction', 'User', 'Human'], ends: ['Response', 'Assistant', 'Input'] },
  /** Phi 2 and others. */
  line: { begins: ['User', 'Human', 'Instruct'], ends: ['Assistant', 'AI', 'Output'] },
  /** Vicuna. */
  inline: { begins: ['USER'], ends: ['ASSISTANT'] },
} as const;
