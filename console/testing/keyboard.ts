// Walks over a page with the Tab key.
/// <reference lib="dom" />
import type { Page } from 'playwright-core';

/**
 * Returns controls that Tab does not reach, that are focused invisibly, or that have no accessible name. A good page has
 * none.
 */
export async function missedByKeyboard(page: Page): Promise<string[]> {
  const all = 'a[href], button:enabled, input:enabled, select:enabled, textarea:enabled, summary, [tabindex="0"]';
  const count = await page.evaluate((selector) => {
    const usable = [...document.querySelectorAll<HTMLElement>(selector)].filter((one) => one.checkVisibility());
    for (const [at, one] of usable.entries()) one.dataset.walked = String(at);
    (document.activeElement as HTMLElement | null)?.blur();
    return usable.length;
  }, all);
  const reached = new Set<string>();
  const missed: string[] = [];
  // A little more than one round, so that a focus trap is detected.
  for (let steps = 0; steps < count * 2 + 10 && reached.size < count; steps++) {
    await page.keyboard.press('Tab');
    const here = await page.evaluate(() => {
      const one = document.activeElement as HTMLElement | null;
      if (!one?.dataset.walked) return null;
      const field = one as HTMLInputElement;
      const named = [one.getAttribute('aria-label'), one.textContent, field.labels?.[0]?.textContent, one.title];
      return {
        at: one.dataset.walked,
        text: one.outerHTML.slice(0, 120),
        seen: one.matches(':focus-visible'),
        named: named.some((text) => text?.trim()),
      };
    });
    if (!here || reached.has(here.at)) continue;
    reached.add(here.at);
    if (!here.seen) missed.push(`not seen: ${here.text}`);
    if (!here.named) missed.push(`without a name: ${here.text}`);
  }
  const left = await page.evaluate(
    (seen) =>
      [...document.querySelectorAll<HTMLElement>('[data-walked]')]
        .filter((one) => !seen.includes(one.dataset.walked!))
        .map((one) => `not reached: ${one.outerHTML.slice(0, 120)}`),
    [...reached],
  );
  return [...missed, ...left];
}
