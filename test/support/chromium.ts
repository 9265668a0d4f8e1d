import { existsSync } from 'node:fs';

/** Debian's Chromium, or whatever CHROMIUM names; `undefined` where there is none. */
export const CHROMIUM = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser']
  .filter((file) => file !== undefined)
  .find((file) => existsSync(file));

/** What a test run says where there is none. */
export const WITHOUT_CHROMIUM =
  'SKIPPED: the pages are not tested in a browser, for want of one: apt-get install chromium';
