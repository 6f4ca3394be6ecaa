// Accessibility problems of a page, found by axe.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Requires a page opened with bypassCSP, since the content security policy blocks axe. */
export async function seriousOn(page: Page, only: 'all' | 'colours' = 'all'): Promise<string[]> {
  await page.evaluate(axe);
  const { violations } = (await page.evaluate(
    `axe.run(document, { resultTypes: ['violations'] ${only === 'colours' ? ", runOnly: ['color-contrast']" : ''} })`,
  )) as {
    violations: { id: string; impact: string; nodes: { html: string }[] }[];
  };
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}
