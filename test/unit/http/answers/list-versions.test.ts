import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EncodedList } from '../../../../src/app/state/encoded-lists.ts';
import {
  ListVersions,
  type Reading,
  type VersionedChunk,
} from '../../../../src/http/answers/list-versions.ts';

type Snapshot = EncodedList<VersionedChunk>;

const chunk = (bytes: number): VersionedChunk => ({ bytes });

/** Returns a list of chunks of these sizes at a position. */
function snapshotOf(position: number, chunks: readonly VersionedChunk[]): Snapshot {
  return { position, state: String(position), chunks };
}

/** Returns the next version of a list, with some chunks replaced by others of the same size. */
function changed({ position, chunks }: Snapshot, places: readonly number[]): Snapshot {
  const next = chunks.map((old, place) => (places.includes(place) ? chunk(old.bytes) : old));
  return snapshotOf(position + 1, next);
}

const ignore = () => undefined;

describe('The versions of the list', () => {
  it('cost the chunks that only old ones have, each once, for any sequence of readers', () => {
    const change = fc.array(fc.nat({ max: 7 }), { maxLength: 4 });
    const step = fc.oneof(
      change.map((places) => ({ places })),
      fc.constant('read' as const),
      fc.nat().map((leaving) => ({ leaving })),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const versions = new ListVersions<VersionedChunk>(Infinity);
        let newest = snapshotOf(
          1,
          Array.from({ length: 8 }, (_, n) => chunk(2 ** n)),
        );
        let seen = newest;
        const readings: Reading<VersionedChunk>[] = [];
        for (const step of steps) {
          if (step === 'read') {
            const reading = versions.read(newest, ignore);
            expect(reading.list).toBe(newest);
            readings.push(reading);
            seen = newest;
          } else if ('places' in step) {
            newest = changed(newest, step.places);
          } else {
            readings.splice(step.leaving % Math.max(1, readings.length), 1)[0]?.leave();
          }
          const read = readings.flatMap(({ list }) => list.chunks);
          const old = [...new Set(read)].filter((chunk) => !seen.chunks.includes(chunk));
          const bytes = old.reduce((sum, chunk) => sum + chunk.bytes, 0);
          expect(versions.retainedBytes).toBe(bytes);
        }
        for (const { leave } of readings) leave();
        expect(versions.retainedBytes).toBe(0);
      }),
      { numRuns: 500 },
    );
  });

  it('beyond their limit lose the readers of the oldest, and never those of the newest', () => {
    const versions = new ListVersions<VersionedChunk>(250);
    const cut: number[] = [];
    let newest = snapshotOf(1, [chunk(100), chunk(100)]);
    const readings = Array.from({ length: 5 }, (_, n) => {
      const reading = versions.read(newest, () => cut.push(n));
      newest = changed(newest, [n % 2]);
      return reading;
    });
    // The readers of versions 1 to 5: each old version has one chunk that is replaced in the next.
    expect(cut).toStrictEqual([0, 1]);
    expect(versions.cutOff).toBe(2);
    expect(versions.retainedBytes).toBe(200);
    for (const { leave } of readings) leave();
    expect(versions.retainedBytes).toBe(0);
  });

  it('may all be cut off, and the newest is read all the same', () => {
    const versions = new ListVersions<VersionedChunk>(0);
    const cut: number[] = [];
    let newest = snapshotOf(1, [chunk(1)]);
    for (let n = 0; n < 3; n++) {
      expect(versions.read(newest, () => cut.push(n)).list).toBe(newest);
      newest = changed(newest, [0]);
    }
    expect(cut).toStrictEqual([0, 1]);
    expect(versions.retainedBytes).toBe(0);
  });

  it('take an older snapshot for the newest while that is read', () => {
    const versions = new ListVersions<VersionedChunk>(0);
    const first = snapshotOf(1, [chunk(1)]);
    const second = changed(first, [0]);
    versions.read(second, ignore);
    expect(versions.read(first, ignore).list).toBe(second);
  });
});
