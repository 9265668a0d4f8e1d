import fc from 'fast-check';
import { kitFor, type Target } from 'store-orders-testing';
import { type Command, copy, type Event, Library, MemoryEvents } from './library.ts';
import { LOANS } from './loans.ts';

/** The tests, for any test runner: each of them throws if it fails. */

const kit = kitFor(LOANS);

/** The whole application, with a store of its own for each program. */
const library: Target<Command, Event> = {
  name: 'library',
  open() {
    const app = new Library(new MemoryEvents());
    return {
      perform: ({ id, command, commandId }) => app.perform(id, command, commandId),
      view: (id) => app.copy(id),
      events: (id) => app.events(id),
      isIdempotent: true,
    };
  },
};

export function suite(test: (name: string, run: () => Promise<void>) => void): void {
  test('a reserved copy is lent to its reader only', async () => {
    const reserved = kit.given(copy, { type: 'Reserved', by: 'ann' });
    reserved.when({ type: 'Lend', to: 'ben' }).thenRejected('reserved');
    reserved.when({ type: 'Lend', to: 'ann' }).thenRecorded({ type: 'Lent', to: 'ann' });
  });

  test('any commands are decided as the model decides them', async () => {
    await kit.assertDecides(copy, { runs: 1_000 });
  });

  test('any program gets the answers of the model from the whole application', async () => {
    await kit.assertHolds(library, { runs: 200 });
  });

  test('any concurrent commands are linearizable', async () => {
    await kit.assertLinearizable(library, { rounds: 100 });
  });

  test('the event store appends, detects conflicts, and is idempotent', async () => {
    await kit.assertEventStore(async () => new MemoryEvents());
  });

  test('an illegal history breaks the rule that it is drawn with', async () => {
    const isKnown = (events: readonly Event[], rule: string, at: number) => {
      const broken = kit.brokenRule(events);
      return broken?.rule === rule && broken.at === at;
    };
    fc.assert(
      fc.property(kit.illegalHistories(), ({ events, rule, at }) => isKnown(events, rule, at)),
    );
  });
}
