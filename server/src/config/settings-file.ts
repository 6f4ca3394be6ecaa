// Reads the settings file. A line that is no comment and sets nothing is a mistake, which the parser of Node would skip.
import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { isDeepStrictEqual, parseEnv } from 'node:util';

/** `asked`: the file was named, so it must exist. Adds what is wrong with it to `mistakes`. */
export function readSettingsFile(path: string, asked: boolean, mistakes: string[]): Record<string, string | undefined> {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const missing = code === 'ENOENT';
    if (code === 'ENOTDIR' && !asked)
      mistakes.push(
        `There can be no folder ${dirname(path)}: it, or one above it, is a file. Set LOREKEEP_HOME to another place.`,
      );
    else if (asked || !missing) mistakes.push(`The settings file ${path} cannot be read: ${(error as Error).message}.`);
    return {};
  }
  for (const { number, name } of ignoredLines(text))
    mistakes.push(
      `Line ${number} of the settings file ${path}${name ? `, about ${name},` : ''} is not NAME=value; a comment begins with #.`,
    );
  return parseEnv(text);
}

/** Lines without "=" that set nothing. Values in quotes may span lines: without one of them, the value would be another. */
function ignoredLines(text: string): { number: number; name: string | undefined }[] {
  const lines = text.split('\n');
  const whole = parseEnv(text);
  return lines.flatMap((line, at) => {
    if (/^\s*(#|$)|[^\s=].*=/.test(line)) return [];
    if (!isDeepStrictEqual(parseEnv(lines.toSpliced(at, 1).join('\n')), whole)) return [];
    // Nothing else of the line is shown, since it may hold a secret.
    return [{ number: at + 1, name: /\bLOREKEEP_[A-Z_]+/.exec(line)?.[0] }];
  });
}
