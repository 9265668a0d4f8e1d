import { existsSync } from 'node:fs';

/** The path of Chromium: that in CHROMIUM, or Debian's; `undefined` if there is none. */
export const CHROMIUM = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser']
  .filter((file) => file !== undefined)
  .find((file) => existsSync(file));

/** The reason why tests are skipped without Chromium. */
export const WITHOUT_CHROMIUM =
  'SKIPPED: the pages are not tested in a browser, for want of one: apt-get install chromium';
