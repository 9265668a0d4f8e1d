/** The members of an object that are given: one that is present and undefined is as if it were absent. */

type Present<Members> = { [Name in keyof Members]: Exclude<Members[Name], undefined> };

/** Returns an object without its members that are undefined. */
export function given<Members extends object>(members: Members): Present<Members> {
  const set = Object.entries(members).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set) as Present<Members>;
}
