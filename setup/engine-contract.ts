// The contract's part of the engine: engine/lorekeep/contract.py with the tables of both languages, and engine/protocol/bounds.json with values at
// the bounds, which a test of the engine holds its own rules to.
import * as contract from '@lorekeep/contract';
import { engineErrorCodes, loadStages, modelKinds, requestSchema } from '../server/src/engine/protocol.ts';

const args = Object.entries<contract.FinetuneArg>(contract.finetuneArgs);

export function engineContract(): string {
  const { answerFromNames, defaultAnswerFrom, unknownNames, defaultUnknown, outcomeNames } = contract;
  const {
    chatTemplates,
    wordedTemplates,
    gates,
    gateNames,
    defaultGate,
    generationLimits,
    jobStatuses,
    maxSweepValues,
  } = contract;
  const shares = (figure: 'unknown_asks' | 'near_misses') =>
    dict(gateNames.map((name) => [name, number(gates[name][figure])]));
  return `"""Constants and types that the engine shares with the server. Made from contract/ by \`./lorekeep check --write\`; not edited by hand."""

from dataclasses import dataclass
from typing import Literal

Gate = Literal[${gateNames.map(text).join(', ')}]
DEFAULT_GATE: Gate = ${text(defaultGate)}
# Share of the questions about a known name that no fact answers, which each gate lets through.
UNKNOWN_ASKS: dict[str, float] = ${shares('unknown_asks')}
# The same of near misses of facts without names.
NEAR_MISSES: dict[str, float] = ${shares('near_misses')}

# Sources and outcomes of the answers of a tuned model.
AnswerFrom = Literal[${answerFromNames.map(text).join(', ')}]
DEFAULT_ANSWER_FROM: AnswerFrom = ${text(defaultAnswerFrom)}
Unknown = Literal[${unknownNames.map(text).join(', ')}]
DEFAULT_UNKNOWN: Unknown = ${text(defaultUnknown)}
Outcome = Literal[${outcomeNames.map(text).join(', ')}]

JobStatus = ${literal(jobStatuses)}

ModelKind = Literal[${modelKinds.map(text).join(', ')}]
LoadStage = Literal[${loadStages.map(text).join(', ')}]
# The server makes an answer of each; lorekeep/errors.py says when they happen.
ErrorCode = ${literal(engineErrorCodes)}

${memoryFigures()}

# Limits of a generation.
${Object.entries(generationLimits)
  .filter(([name]) => name !== 'max_tokens')
  .map(([name, limit]) => `MAX_${name.toUpperCase()} = ${limit}\n`)
  .join('')}MAX_SWEEP_VALUES = ${maxSweepValues}

# Marks of a turn of the user in the chat templates of model families; a newline stands for the rest of the line.
USER_TURN_BEGINS = ${tuple(chatTemplates.flatMap(({ begins }) => begins))}
USER_TURN_ENDS = ${tuple([...new Set(chatTemplates.flatMap(({ ends }) => ends))])}
USER_TURN_SYSTEMS = [${systemsOf(chatTemplates).join(', ')}]
# Templates in words alone: by how a role stands in them, the roles that begin the user's turn and those that end it.
WORDED_TEMPLATES = {
${Object.entries(wordedTemplates)
  .map(([place, { begins, ends }]) => `    ${text(place)}: (${strings(begins)}, ${strings(ends)}),\n`)
  .join('')}}
${argumentTables()}`;
}

/** Bytes that a model takes in memory: beside its weights, and for a parameter in each precision. */
function memoryFigures(): string {
  const bytes = contract.precisions.map((name): [string, string] => [name, number(contract.bytesInPrecision[name])]);
  return `# Bytes of memory beside the weights, and of a parameter by precision.
SERVE_BYTES = ${number(contract.servingBesideWeights)}
SERVE_AND_TUNE_BYTES = ${number(contract.bothBesideWeights)}
PRECISION_BYTES: dict[str, float] = ${dict(bytes)}`;
}

/** Allowed values of each argument, the reason if it has no effect, and its default. */
function argumentTables(): string {
  return `

@dataclass(frozen=True)
class Number:
    """Values from \`low\` to \`high\`."""

    low: float
    high: float
    allowed: str
    whole: bool = False
    power_of_two: bool = False


@dataclass(frozen=True)
class Choice:
    of: tuple[str, ...]
    allowed: str


@dataclass(frozen=True)
class Flag:
    allowed: str


TAKES: dict[str, Number | Choice | Flag] = {
${args.map(([name, { takes }]) => `    ${text(name)}: ${rule(takes)},\n`).join('')}}

# Arguments without effect, each with the reason.
IDLE = {
${args.map(([name, arg]) => ('idle' in arg ? `    ${text(name)}: ${text(arg.idle)},\n` : '')).join('')}}
# Of these, the value that says what is done anyhow.
UNLESS = {
${args.map(([name, arg]) => ('idle' in arg && arg.unless !== undefined ? `    ${text(name)}: ${arg.unless},\n` : '')).join('')}}


@dataclass(frozen=True)
class ArgumentValues:
    """The arguments that a model is kept with, and their defaults. None: decided by the engine."""

${args.map(([name, arg]) => (isKept(arg) ? `    ${name}: ${fieldOf(arg)}\n` : '')).join('')}`;
}

/** An argument without any effect is not kept with the model. */
const isKept = (arg: contract.FinetuneArg) => !('idle' in arg) || arg.unless !== undefined;

function fieldOf(arg: contract.FinetuneArg): string {
  const type = { number: 'float', whole: 'int', choice: 'str', flag: 'bool' }[arg.takes.kind];
  if ('without' in arg) return `${type} | None = None`;
  return `${type} = ${typeof arg.preset === 'string' ? text(arg.preset) : number(arg.preset as number)}`;
}

function rule(takes: contract.Takes): string {
  const allowed = text(contract.allowed(takes));
  if (takes.kind === 'flag') return `Flag(${allowed})`;
  const lines = (parts: string[]) => `(\n${parts.map((part) => `        ${part},\n`).join('')}    )`;
  if (takes.kind === 'choice')
    return `Choice${lines([`(\n${takes.of.map((one) => `            ${text(one)},\n`).join('')}        )`, allowed])}`;
  const more = [
    ...(takes.kind === 'whole' ? ['whole=True'] : []),
    ...('powerOfTwo' in takes && takes.powerOfTwo ? ['power_of_two=True'] : []),
  ];
  return `Number${lines([number(takes.from), number(takes.to), allowed, ...more])}`;
}

const text = (value: string) => JSON.stringify(value);
const tuple = (values: string[]) => `(\n${values.map((value) => `    ${text(value)},\n`).join('')})`;
const strings = (words: readonly string[]) => `[${words.map(text).join(', ')}]`;
const literal = (names: readonly string[]) => `Literal[\n${names.map((name) => `    ${text(name)},\n`).join('')}]`;
const systemsOf = (templates: typeof contract.chatTemplates) =>
  templates.flatMap(({ system }) => (system ? [`(${system.map(text).join(', ')})`] : []));
const number = (value: number) => String(value);
const dict = (entries: [string, string][]) => `{${entries.map(([name, one]) => `${text(name)}: ${one}`).join(', ')}}`;

/** Values at the bounds and beyond them, each with the verdict of the contract. */
export function boundsExamples(): string {
  const argumentCases = args.flatMap(([name, { takes }]) =>
    around(takes).map((value) => ({ name, value, right: contract.argumentProblem(name, value) === undefined })),
  );
  const asked = { type: 'generate', id: '1', model: 'm', prompt: 'x' };
  const generateCases = Object.entries(contract.generationLimits).flatMap(([name, limit]) =>
    (name === 'stop' ? [Array(limit).fill('x'), Array(limit + 1).fill('x')] : [0, limit, limit + 1, -1]).map(
      (value) => ({ name, value, right: requestSchema.safeParse({ ...asked, [name]: value }).success }),
    ),
  );
  const lines = (cases: object[]) => cases.map((one) => `    ${JSON.stringify(one)}`).join(',\n');
  return `{
  "about": "Values at the bounds of the contract. Made by \`./lorekeep check --write\`; engine/lorekeep/contract_test.py holds the engine to them.",
  "arguments": [
${lines(argumentCases)}
  ],
  "generate": [
${lines(generateCases)}
  ]
}
`;
}

function around(takes: contract.Takes): unknown[] {
  const others = [null, true, 'x', '1', [], {}];
  if (takes.kind === 'flag') return [false, 0, 1, ...others];
  if (takes.kind === 'choice') return [...takes.of, takes.of[0]!.toUpperCase(), '', 1, ...others];
  const { from, to } = takes;
  const beyond = takes.kind === 'whole' ? [from - 1, to + 1, from + 0.5] : [from * 0.999, to * 1.001];
  return [from, to, ...beyond, 0, -1, from + 1, ...others];
}
