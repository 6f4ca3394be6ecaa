// Writes JUnit XML for CI systems: suites of cases, each passed, failed or skipped.

export interface Case {
  name: string;
  /** Reason of the failure. */
  failure?: string | undefined;
  /** Reason why its failure does not count. */
  skipped?: string | undefined;
  /** Text for a reader. */
  out?: string | undefined;
}

export interface Suite {
  name: string;
  cases: Case[];
}

export function junit(suites: Suite[]): string {
  const counts = (cases: Case[]) =>
    `tests="${cases.length}" failures="${cases.filter(({ failure }) => failure !== undefined).length}" errors="0" ` +
    `skipped="${cases.filter(({ skipped }) => skipped !== undefined).length}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${counts(suites.flatMap(({ cases }) => cases))}>`,
    ...suites.flatMap(({ name, cases }) => [
      `  <testsuite name="${escaped(name)}" ${counts(cases)}>`,
      ...cases.map((one) => caseText(name, one)),
      '  </testsuite>',
    ]),
    '</testsuites>\n',
  ].join('\n');
}

function caseText(suite: string, { name, failure, skipped, out }: Case): string {
  const inside = [
    failure === undefined ? '' : `<failure message="${escaped(failure)}"/>`,
    skipped === undefined ? '' : `<skipped message="${escaped(skipped)}"/>`,
    out === undefined ? '' : `<system-out>${escaped(out)}</system-out>`,
  ].join('');
  return `    <testcase classname="${escaped(suite)}" name="${escaped(name)}">${inside}</testcase>`;
}

const signs: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\n': '&#10;',
  '\t': '&#9;',
};

/** Replaces characters that XML 1.0 forbids, since a single one makes the file unreadable. */
const escaped = (text: string) =>
  text
    .replace(/\p{Surrogate}/gu, '\ufffd')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are replaced
    .replace(/[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '\ufffd')
    .replace(/\r\n?/g, '\n')
    .replace(/[&<>"\n\t]/g, (sign) => signs[sign]!);
