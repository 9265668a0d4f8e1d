/** True in `npm run test:nightly`, which runs everything in full; `npm test` has minutes. */
export const isNightly = process.env.NIGHTLY === '1';

/**
 * The seed of a long random walk: the value of an environment variable, or else a new one each night. By day
 * it is the same one always, so that a run judges a change and not its luck.
 */
export function seedFrom(variable: string): number {
  const given = process.env[variable];
  if (given !== undefined) return Number(given);
  return isNightly ? Date.now() & 0x7fffffff : 1;
}

/** Returns a number of runs of a property: all at night, and a fifth of them by day. */
export function runs(atNight: number): number {
  return isNightly ? atNight : Math.ceil(atNight / 5);
}

/**
 * Returns all cases at night, and each nth of them by day: for tests of tests, such as mistakes that are
 * planted in a verifier, of which a change breaks many at once.
 */
export function partByDay<Case>(cases: readonly Case[], nth: number): readonly Case[] {
  return isNightly ? cases : cases.filter((_, index) => index % nth === 0);
}
