/**
 * How what a database is made of differs from what it must be made of, in plain words. What makes a
 * table refuse to be changed is among it.
 * @param due The definition of each thing by its kind and its name: "trigger events_never_change".
 */
export function differences(
  due: ReadonlyMap<string, string>,
  there: ReadonlyMap<string, string>,
): string[] {
  const other = [...due].filter(([name, definition]) => there.get(name) !== definition);
  const more = [...there.keys()].filter((name) => !due.has(name));
  return [
    ...other.map(([name]) => {
      return `the ${name} of the database is ${there.has(name) ? 'another one' : 'not there'}`;
    }),
    ...more.map((name) => `the ${name} of the database is none of this program's`),
  ];
}
