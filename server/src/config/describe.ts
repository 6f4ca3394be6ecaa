// Describes the settings: for --help, for the docs, and the values in force with their sources.
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

/** The settings in force, each value with its source, secrets hidden. For `./lorekeep config --json`. */
export function effectiveSettings({ sources, written }: Loaded) {
  return settingNames.map((name) => ({
    name: environmentName(name),
    value: maskedValue(name, written[name]) || null,
    source: sources[name],
  }));
}

/** The same as readable text. */
export function effectiveConfig(loaded: Loaded): string {
  const rows = effectiveSettings(loaded).map((row) => ({ ...row, value: row.value ?? '(none)' }));
  const width = Math.max(...rows.map(({ name }) => name.length));
  const widest = Math.max(...rows.map(({ value }) => value.length));
  return rows.map(({ name, value, source }) => `${name.padEnd(width)}  ${value.padEnd(widest)}  ${source}`).join('\n');
}

function maskedValue(name: (typeof settingNames)[number], text: string): string {
  if (!settings[name].secret || text === '') return text;
  // Only the password of a database address is secret. The address of a file has none.
  return name === 'database_url' ? text.replace(/(:\/\/[^:@/]*):[^@/]*@/, '$1:(hidden)@') : '(hidden)';
}
