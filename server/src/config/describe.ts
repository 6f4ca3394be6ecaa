// The settings in words: for --help, for the docs, and as they are in force with where each came from.
import type { Loaded } from './load.ts';
import { environmentName, flagName, settingNames, settings } from './settings.ts';

const plainText = (markdown: string) => markdown.replaceAll('`', '');

function presetOf(name: (typeof settingNames)[number]): string {
  const { preset, presetDoc } = settings[name];
  return presetDoc ?? (typeof preset === 'string' ? `\`${preset}\`` : '');
}

/** For `./lorekeep up --help`. */
export function settingsHelp(): string {
  return settingNames
    .map((name) => {
      const { doc, schema } = settings[name];
      return `  ${environmentName(name)}  (${flagName(name)})\n      ${plainText(doc)}\n      Takes ${schema.description}; default: ${plainText(presetOf(name))}.`;
    })
    .join('\n');
}

/** The table of docs/reference/configuration.md. */
export function settingsTable(): string {
  const rows = settingNames.map((name) => {
    const { doc, schema } = settings[name];
    return `| \`${environmentName(name)}\` | ${presetOf(name)} | ${doc} | ${schema.description} |`;
  });
  return ['| Setting | Default | What it is | Takes |', '|---|---|---|---|', ...rows].join('\n');
}

/** What is in force, each value with its source; secrets hidden. For `./lorekeep config`. */
export function effectiveConfig({ sources, written }: Loaded): string {
  const width = Math.max(...settingNames.map((name) => environmentName(name).length));
  const values = settingNames.map((name) => shown(name, written[name]) || '(none)');
  const widest = Math.max(...values.map((value) => value.length));
  return settingNames
    .map((name, at) => `${environmentName(name).padEnd(width)}  ${values[at]!.padEnd(widest)}  ${sources[name]}`)
    .join('\n');
}

function shown(name: (typeof settingNames)[number], text: string): string {
  if (!settings[name].secret || text === '') return text;
  // Of a database's address only the password is secret, and a file's has none.
  return name === 'database_url' ? text.replace(/(:\/\/[^:@/]*):[^@/]*@/, '$1:(hidden)@') : '(hidden)';
}
