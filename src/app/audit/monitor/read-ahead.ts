/** The parts under way at once. Each may take 17 MB, if the log is hostile. */
const PARTS_AHEAD = 4;

/** Reads numbered parts, several at a time, and yields them in order. */
export async function* readAhead<Part>(
  from: number,
  to: number,
  read: (index: number) => Promise<Part>,
): AsyncGenerator<readonly [index: number, part: Part]> {
  const ahead: Promise<Part>[] = [];
  for (let index = from; index < to; index += 1) {
    while (ahead.length < Math.min(PARTS_AHEAD, to - index)) {
      const part = read(index + ahead.length);
      // It may fail before it is awaited, or never be.
      part.catch(() => undefined);
      ahead.push(part);
    }
    yield [index, await (ahead.shift() as Promise<Part>)];
  }
}
