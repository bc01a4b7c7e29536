// What every page must be: accessible, no wider than the window, and something to look at.

import axe from 'axe-core';
import { DESKTOP, PHONE, picturesDir } from './browser.mjs';

const SIZES = { phone: PHONE, desktop: DESKTOP };
const SCHEMES = ['light', 'dark'];

/**
 * Checks the page in each size and scheme, and takes a picture of each, with `at` in sight where it is given. What is
 * wrong with it the desk hears.
 */
export async function looksRight(desk, page, name, at) {
  const was = page.viewportSize();
  for (const [size, viewport] of Object.entries(SIZES)) {
    await page.setViewportSize(viewport);
    for (const colorScheme of SCHEMES) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      const where = `${name}-${size}-${colorScheme}`;
      await at?.scrollIntoViewIfNeeded();
      await page.screenshot({ path: `${picturesDir()}/${where}.png` });
      for (const violation of await violations(page)) desk.hears(`${where}: ${violation}`);
    }
    for (const element of await tooWide(page)) desk.hears(`${name}-${size}: too wide: ${element}`);
  }
  await page.emulateMedia({ colorScheme: null, reducedMotion: null });
  await page.setViewportSize(was);
}

/** What axe finds. Its source is evaluated by the debugger: the page's policy allows no script of others. */
async function violations(page) {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axe.source);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  return violations.flatMap(({ id, impact, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} (${impact}) at ${target.join(' ')}: ${failureSummary.replaceAll(/\s+/g, ' ')}`),
  );
}

/** Whatever has more in it than its width shows, but for lines that are cut on purpose, and tabs. */
export function tooWide(page) {
  return page.evaluate(() => {
    const isMeant = (element) =>
      element.closest('.tabs, textarea, select') !== null
      || getComputedStyle(element).textOverflow === 'ellipsis';
    const isWide = ({ clientWidth, scrollWidth }) => clientWidth > 1 && scrollWidth > clientWidth + 1;
    return [...document.querySelectorAll('html, body, body *')]
      .filter((element) => isWide(element) && element.checkVisibility() && !isMeant(element))
      .map(({ tagName, className, scrollWidth, clientWidth }) =>
        `${tagName.toLowerCase()}.${className}: ${scrollWidth} in ${clientWidth}`);
  });
}
