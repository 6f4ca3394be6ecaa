// lorekeep completion: generates completion scripts for shells from the table of commands.
import { type Command, globalOptions } from '../command.ts';
import { UsageError } from '../exit.ts';

const shells = ['bash', 'zsh', 'fish'] as const;

/** Makes the command that completes `commands`, including itself, and on the host the commands of the launcher `./lorekeep`. */
export const completionOf = (commands: () => readonly Command[], hostWords: readonly string[]): Command => ({
  name: 'completion',
  summary: 'print what a shell needs to complete commands, options and the names of models, jobs and indexes',
  words: 'SHELL',
  more: `SHELL is ${shells.join(', ')}. Names come from the server in force, where it answers within a second or two; else nothing is offered. To have it in each new shell:

  bash   mkdir -p ~/.local/share/bash-completion/completions
         lorekeep completion bash > ~/.local/share/bash-completion/completions/lorekeep
  zsh    mkdir -p ~/.zfunc && lorekeep completion zsh > ~/.zfunc/_lorekeep
         and in ~/.zshrc, before compinit: fpath=(~/.zfunc $fpath)
  fish   mkdir -p ~/.config/fish/completions
         lorekeep completion fish > ~/.config/fish/completions/lorekeep.fish`,
  async run(context, given) {
    const [shell] = given.words as [(typeof shells)[number]];
    if (!shells.includes(shell))
      throw new UsageError(`There is completion for ${shells.join(', ')}, not for "${shell}".`);
    const host = context.program === './lorekeep' ? hostWords : [];
    context.terminal.print({ bash, zsh, fish }[shell](commands(), host));
  },
});

/** First words with the possible second words. */
function commandTree(commands: readonly Command[]): Map<string, { summary: string; second: Map<string, string> }> {
  const first = new Map<string, { summary: string; second: Map<string, string> }>();
  for (const { name, summary } of commands) {
    const [word, next] = name.split(' ') as [string, string | undefined];
    const known = first.get(word) ?? { summary, second: new Map() };
    if (next) known.second.set(next, summary);
    first.set(word, known);
  }
  return first;
}

/** Commands of two words come first, since "index" alone matches any other second word. */
const specificFirst = (commands: readonly Command[]) =>
  [...commands].sort((one, other) => Number(other.name.includes(' ')) - Number(one.name.includes(' ')));

/** Words that are both a command and a group, so that the second word may also be a file. */
const takesFile = (commands: readonly Command[], word: string) =>
  commands.some(({ name, words }) => name === word && words !== undefined);

const optionsOf = (command: Command) =>
  Object.keys({ ...command.options, ...globalOptions }).map((option) => `--${option}`);

/** Positions that take names from the server: after an option, and as the first argument of a command. */
function namePositions(commands: readonly Command[]): {
  options: [line: string, kind: string][];
  words: [command: string, kind: string][];
} {
  const options = commands.flatMap(({ name, options = {} }) =>
    Object.entries(options).flatMap(([option, { names, short }]) =>
      names
        ? [`--${option}`, ...(short ? [`-${short}`] : [])].map((one) => [`${name} ${one}`, names] as [string, string])
        : [],
    ),
  );
  return { options, words: commands.flatMap(({ name, names }) => (names ? [[name, names] as [string, string]] : [])) };
}

/** Shell `case` patterns that set the kind of names at the cursor. */
const kindCases = (commands: readonly Command[], first: number) =>
  namePositions(commands)
    .words.map(([command, kind]) =>
      command.includes(' ')
        ? `      '${first + 2} ${command}') kind=${kind} ;;`
        : `      '${first + 1} ${command} '*) kind=${kind} ;;`,
    )
    .join('\n');
const optionCases = (commands: readonly Command[]) =>
  namePositions(commands)
    .options.map(([line, kind]) => `    '${line}') kind=${kind} ;;`)
    .join('\n');

function bash(commands: readonly Command[], host: readonly string[]): string {
  const words = [...commandTree(commands)];
  const seconds = words.filter(([, { second }]) => second.size > 0);
  return `# Completion of lorekeep for bash.
_lorekeep() {
  local word=\${COMP_WORDS[COMP_CWORD]} first=\${COMP_WORDS[1]} second=\${COMP_WORDS[2]} words= kind= name
  case "$first \${COMP_WORDS[COMP_CWORD-1]}" in
${optionCases(commands)}
    *) case "$COMP_CWORD $first $second" in
${kindCases(commands, 1)}
    esac ;;
  esac
  if [[ -n $kind && $word != -* ]]; then
    # A name is no file, also where there is one of that name.
    compopt +o filenames 2> /dev/null
    while IFS= read -r name; do
      [[ $name == "$word"* ]] && COMPREPLY+=("$name")
    done < <("\${COMP_WORDS[0]/#\\~/$HOME}" __names "$kind" 2> /dev/null < /dev/null)
    return
  fi
  if [[ $word == -* ]]; then
    case "$first $second" in
${specificFirst(commands)
  .map(
    (command) =>
      `      '${command.name}'${command.name.includes(' ') ? '' : "' '*"}) words='${optionsOf(command).join(' ')}' ;;`,
  )
  .join('\n')}
    esac
  elif [[ $COMP_CWORD -eq 1 ]]; then
    words='${[...words.map(([word]) => word), 'help', ...host].join(' ')}'
  elif [[ $COMP_CWORD -eq 2 ]]; then
    case $first in
${seconds.map(([word, { second }]) => `      ${word}) words='${[...second.keys()].join(' ')}' ;;`).join('\n')}
    esac
  fi
  [[ -n $words ]] && COMPREPLY=($(compgen -W "$words" -- "$word"))
  # From here on a blank is part of a name.
  local IFS=$'\\n'
  case "$COMP_CWORD $first" in
${seconds
  .filter(([word]) => takesFile(commands, word))
  .map(([word]) => `    '2 ${word}') COMPREPLY+=($(compgen -f -- "\${word//\\\\/}")) ;;`)
  .join('\n')}
    # The shell's own way with files, where it can be asked for it (since version 4).
    *) [[ -n $words ]] || compopt -o default 2> /dev/null || COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}
complete -o filenames -F _lorekeep lorekeep ./lorekeep`;
}

function zsh(commands: readonly Command[], host: readonly string[]): string {
  const words = [...commandTree(commands)];
  const described = (entries: [string, string][]) =>
    entries.map(([word, about]) => `'${word}:${about.replaceAll("'", '’').replaceAll(':', ' -')}'`).join(' ');
  return `#compdef lorekeep
# Completion of lorekeep for zsh.
_lorekeep() {
  local -a words_here
  local kind=
  case "$words[2] $words[CURRENT-1]" in
${optionCases(commands)}
    *) case "$CURRENT $words[2] $words[3]" in
${kindCases(commands, 2)}
    esac ;;
  esac
  if [[ -n $kind && $PREFIX != -* ]]; then
    words_here=(\${(f)"$(\${~words[1]} __names $kind 2> /dev/null < /dev/null)"})
    compadd -- $words_here
    return
  fi
  if [[ $PREFIX == -* ]]; then
    case "$words[2] $words[3]" in
${specificFirst(commands)
  .map(
    (command) =>
      `      '${command.name}'${command.name.includes(' ') ? '' : "' '*"}) words_here=(${optionsOf(command).join(' ')}) ;;`,
  )
  .join('\n')}
    esac
    compadd -- $words_here
  elif (( CURRENT == 2 )); then
    words_here=(${described(words.map(([word, { summary, second }]) => [word, second.size > 0 ? [...second.keys()].join(', ') : summary]))} ${host.join(' ')})
    _describe command words_here
  elif (( CURRENT == 3 )); then
    case $words[2] in
${words
  .filter(([, { second }]) => second.size > 0)
  .map(
    ([word, { second }]) =>
      `      ${word}) words_here=(${described([...second])})${takesFile(commands, word) ? '; _files' : ''} ;;`,
  )
  .join('\n')}
      *) _files; return ;;
    esac
    _describe command words_here
  else
    _files
  fi
}
if [[ $funcstack[1] == _lorekeep ]]; then _lorekeep "$@"; else compdef _lorekeep lorekeep; fi`;
}

function fish(commands: readonly Command[], host: readonly string[]): string {
  const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = [
    '# Completion of lorekeep for fish.',
    'function __lorekeep_names',
    '  set -l program (commandline -opc)[1]',
    "  set program (string replace -r '^~' $HOME -- $program)",
    '  $program __names $argv[1] 2> /dev/null < /dev/null',
    'end',
    ...host.map((word) => `complete -c lorekeep -n __fish_use_subcommand -f -a ${word}`),
  ];
  const words = commandTree(commands);
  for (const [word, { summary, second }] of words) {
    const about = second.size > 0 ? [...second.keys()].join(', ') : summary;
    lines.push(`complete -c lorekeep -n __fish_use_subcommand -f -a ${word} -d ${quoted(about)}`);
    for (const [next, description] of second)
      lines.push(
        `complete -c lorekeep -n '__fish_seen_subcommand_from ${word}; and test (count (commandline -opc)) -eq 2'${takesFile(commands, word) ? '' : ' -f'} -a ${next} -d ${quoted(description)}`,
      );
  }
  for (const command of commands) {
    const [word, next] = command.name.split(' ');
    const others = [...(words.get(word!)?.second.keys() ?? [])];
    const behind = next
      ? `; and __fish_seen_subcommand_from ${next}`
      : others.length > 0
        ? `; and not __fish_seen_subcommand_from ${others.join(' ')}`
        : '';
    const when = `__fish_seen_subcommand_from ${word}${behind}`;
    for (const [name, { about, value, short, names }] of Object.entries({ ...command.options, ...globalOptions })) {
      const given = names ? ` -x -a '(__lorekeep_names ${names})'` : value ? ' -r' : '';
      lines.push(
        `complete -c lorekeep -n '${when}' -l ${name}${short ? ` -s ${short}` : ''}${given} -d ${quoted(about)}`,
      );
    }
    if (command.names)
      lines.push(
        `complete -c lorekeep -n '${when}; and test (count (commandline -opc)) -eq ${next ? 3 : 2}' -f -a '(__lorekeep_names ${command.names})'`,
      );
  }
  return lines.join('\n');
}
