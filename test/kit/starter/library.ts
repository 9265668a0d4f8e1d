/** The program under test: copies of books that are lent, returned, and reserved. */

export type Command =
  | { readonly type: 'Lend'; readonly to: string }
  | { readonly type: 'Return' }
  | { readonly type: 'Reserve'; readonly by: string };

export type Event =
  | { readonly type: 'Lent'; readonly to: string }
  | { readonly type: 'Returned' }
  | { readonly type: 'Reserved'; readonly by: string };

export interface Copy {
  /** The reader who has it. */
  readonly lentTo?: string;
  readonly reservedBy?: string;
}

export type Decision =
  | { readonly kind: 'accepted'; readonly events: readonly Event[] }
  | { readonly kind: 'rejected'; readonly reason: string };

const accepted = (...events: readonly Event[]): Decision => ({ kind: 'accepted', events });
const rejected = (reason: string): Decision => ({ kind: 'rejected', reason });

/** One copy, as a pure state machine. */
export const copy = {
  initial: {} as Copy,

  decide(command: Command, { lentTo, reservedBy }: Copy): Decision {
    if (command.type === 'Return') {
      return lentTo === undefined ? rejected('not_lent') : accepted({ type: 'Returned' });
    }
    if (command.type === 'Lend') {
      if (lentTo !== undefined)
        return lentTo === command.to ? accepted() : rejected('lent_already');
      const isFree = reservedBy === undefined || reservedBy === command.to;
      return isFree ? accepted({ type: 'Lent', to: command.to }) : rejected('reserved');
    }
    if (reservedBy !== undefined)
      return reservedBy === command.by ? accepted() : rejected('reserved');
    if (lentTo === command.by) return rejected('lent_to_the_same');
    return accepted({ type: 'Reserved', by: command.by });
  },

  evolve(state: Copy, event: Event): Copy {
    if (event.type === 'Lent') return { lentTo: event.to };
    if (event.type === 'Reserved') return { ...state, reservedBy: event.by };
    const { lentTo, ...rest } = state;
    return rest;
  },
};

/** An event store in memory. A real one waits for its disk where this one waits for its turn. */
export class MemoryEvents {
  readonly isIdempotent = true;
  readonly #log: { readonly position: number; readonly stream: string; readonly event: Event }[] =
    [];
  readonly #appended = new Map<string, number>();

  async append(stream: string, expected: number, events: readonly Event[], commandId: string) {
    await undefined;
    const known = this.#appended.get(commandId);
    if (known !== undefined) return { kind: 'appended', version: known } as const;
    const before = this.#log.filter((each) => each.stream === stream).length;
    if (before !== expected) return { kind: 'conflict' } as const;
    for (const event of events) {
      this.#log.push({ position: this.#log.length + 1, stream, event });
    }
    this.#appended.set(commandId, expected + events.length);
    return { kind: 'appended', version: expected + events.length } as const;
  }

  async read(stream: string): Promise<readonly Event[]> {
    return this.#log.filter((each) => each.stream === stream).map(({ event }) => event);
  }

  async readAll() {
    return [...this.#log];
  }
}

/** The application: decides commands on the newest events, again after a conflict. */
export class Library {
  readonly #events: MemoryEvents;
  readonly #performed = new Map<string, Promise<Decision>>();

  constructor(events: MemoryEvents) {
    this.#events = events;
  }

  /** Performs a command once, even if it is repeated before its first answer. */
  perform(id: string, command: Command, commandId: string): Promise<Decision> {
    const known = this.#performed.get(commandId);
    if (known !== undefined) return known;
    const decision = this.#decide(id, command, commandId);
    this.#performed.set(commandId, decision);
    return decision;
  }

  async #decide(id: string, command: Command, commandId: string): Promise<Decision> {
    for (;;) {
      const before = await this.#events.read(id);
      const decision = copy.decide(command, before.reduce(copy.evolve, copy.initial));
      if (decision.kind === 'rejected' || decision.events.length === 0) return decision;
      const appended = await this.#events.append(id, before.length, decision.events, commandId);
      if (appended.kind === 'appended') return decision;
    }
  }

  async copy(id: string): Promise<Copy> {
    return (await this.#events.read(id)).reduce(copy.evolve, copy.initial);
  }

  events(id: string): Promise<readonly Event[]> {
    return this.#events.read(id);
  }
}
