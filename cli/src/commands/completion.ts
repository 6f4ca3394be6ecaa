// lorekeep completion: what a shell needs to complete the commands, made from the table of them.
import { type Command, globalOptions } from '../command.ts';
import { commands } from '../commands.ts';
import { UsageError } from '../exit.ts';

const shells = ['bash', 'zsh', 'fish'] as const;

export const completion: Command = {
  name: 'completion',
  summary: 'print what a shell needs to complete commands and options',
  words: 'SHELL',
  more: `SHELL is ${shells.join(', ')}. To have it in each new shell:

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
    context.terminal.print({ bash, zsh, fish }[shell]());
  },
};

/** First words, with what can stand second behind each. */
function tree(): Map<string, { summary: string; second: Map<string, string> }> {
  const first = new Map<string, { summary: string; second: Map<string, string> }>();
  for (const { name, summary } of commands) {
    const [word, next] = name.split(' ') as [string, string | undefined];
    const known = first.get(word) ?? { summary, second: new Map() };
    if (next) known.second.set(next, summary);
    first.set(word, known);
  }
  return first;
}

/** Those of two words first: "index" alone is every other word behind index. */
const specificFirst = () =>
  [...commands].sort((one, other) => Number(other.name.includes(' ')) - Number(one.name.includes(' ')));

/** Words that are a command by themselves and have others behind them: what comes second may be a file as well. */
const takesFile = (word: string) => commands.some(({ name, words }) => name === word && words !== undefined);

const optionsOf = (command: Command) =>
  Object.keys({ ...command.options, ...globalOptions }).map((option) => `--${option}`);

function bash(): string {
  const words = [...tree()];
  const seconds = words.filter(([, { second }]) => second.size > 0);
  return `# Completion of lorekeep for bash.
_lorekeep() {
  local word=\${COMP_WORDS[COMP_CWORD]} first=\${COMP_WORDS[1]} second=\${COMP_WORDS[2]} words=
  if [[ $word == -* ]]; then
    case "$first $second" in
${specificFirst()
  .map(
    (command) =>
      `      '${command.name}'${command.name.includes(' ') ? '' : "' '*"}) words='${optionsOf(command).join(' ')}' ;;`,
  )
  .join('\n')}
    esac
  elif [[ $COMP_CWORD -eq 1 ]]; then
    words='${words.map(([word]) => word).join(' ')} help'
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
  .filter(([word]) => takesFile(word))
  .map(([word]) => `    '2 ${word}') COMPREPLY+=($(compgen -f -- "\${word//\\\\/}")) ;;`)
  .join('\n')}
    # The shell's own way with files, where it can be asked for it (since version 4).
    *) [[ -n $words ]] || compopt -o default 2> /dev/null || COMPREPLY=($(compgen -f -- "$word")) ;;
  esac
}
complete -o filenames -F _lorekeep lorekeep ./lorekeep`;
}

function zsh(): string {
  const words = [...tree()];
  const described = (entries: [string, string][]) =>
    entries.map(([word, about]) => `'${word}:${about.replaceAll("'", '’').replaceAll(':', ' -')}'`).join(' ');
  return `#compdef lorekeep
# Completion of lorekeep for zsh.
_lorekeep() {
  local -a words_here
  if [[ $PREFIX == -* ]]; then
    case "$words[2] $words[3]" in
${specificFirst()
  .map(
    (command) =>
      `      '${command.name}'${command.name.includes(' ') ? '' : "' '*"}) words_here=(${optionsOf(command).join(' ')}) ;;`,
  )
  .join('\n')}
    esac
    compadd -- $words_here
  elif (( CURRENT == 2 )); then
    words_here=(${described(words.map(([word, { summary, second }]) => [word, second.size > 0 ? [...second.keys()].join(', ') : summary]))})
    _describe command words_here
  elif (( CURRENT == 3 )); then
    case $words[2] in
${words
  .filter(([, { second }]) => second.size > 0)
  .map(
    ([word, { second }]) =>
      `      ${word}) words_here=(${described([...second])})${takesFile(word) ? '; _files' : ''} ;;`,
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

function fish(): string {
  const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
  const lines = ['# Completion of lorekeep for fish.'];
  const words = tree();
  for (const [word, { summary, second }] of words) {
    const about = second.size > 0 ? [...second.keys()].join(', ') : summary;
    lines.push(`complete -c lorekeep -n __fish_use_subcommand -f -a ${word} -d ${quoted(about)}`);
    for (const [next, told] of second)
      lines.push(
        `complete -c lorekeep -n '__fish_seen_subcommand_from ${word}; and test (count (commandline -opc)) -eq 2'${takesFile(word) ? '' : ' -f'} -a ${next} -d ${quoted(told)}`,
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
    for (const [name, { about, value }] of Object.entries({ ...command.options, ...globalOptions }))
      lines.push(`complete -c lorekeep -n '${when}' -l ${name}${value ? ' -r' : ''} -d ${quoted(about)}`);
  }
  return lines.join('\n');
}
