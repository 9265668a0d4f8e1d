import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { bearer } from './service.ts';

/** An event as a client of a stream gets it. */
export interface Received {
  readonly id: string;
  readonly data: string;
}

/**
 * A client of Server-Sent Events as the HTML standard has it (section 9.2.6), but for what browsers
 * do by themselves: it comes back when it is told to, and no sooner.
 */
export class EventSource {
  /** All that was dispatched, over every connection. */
  readonly received: Received[] = [];
  /** The field lines and comments that came, whatever they meant. */
  readonly lines: string[] = [];
  /** What it sends as Last-Event-ID when it comes back. */
  lastEventId = '';
  readonly #key: string;
  #asking: ClientRequest | undefined;
  #res: IncomingMessage | undefined;
  #arrived = Promise.withResolvers<void>();

  constructor(key: string) {
    this.#key = key;
  }

  /** Asks, and resolves with the answer's head; what comes after it is read as it comes. */
  async open(address: string, path = '/v1/store/events'): Promise<IncomingMessage> {
    const resume = this.lastEventId === '' ? {} : { 'Last-Event-ID': this.lastEventId };
    const headers = { ...bearer(this.#key), Accept: 'text/event-stream', ...resume };
    const res = await new Promise<IncomingMessage>((resolve, reject) => {
      this.#asking = request(`${address}${path}`, { headers, agent: false }, resolve);
      this.#asking.on('error', reject).end();
    });
    this.#res = res;
    this.#read(res);
    return res;
  }

  /** Cuts the connection, wherever it is. */
  cut(): void {
    this.#asking?.destroy();
  }

  /** Takes nothing any more, until told otherwise. */
  pause(): void {
    this.#res?.pause();
  }

  resume(): void {
    this.#res?.resume();
  }

  /** Resolves with what `find` finds in all that has come. */
  async until<Found>(find: (source: this) => Found | undefined): Promise<Found> {
    for (;;) {
      const found = find(this);
      if (found !== undefined) return found;
      await this.#arrived.promise;
    }
  }

  #read(res: IncomingMessage): void {
    let [rest, data, id] = ['', [] as string[], this.lastEventId];
    const line = (text: string) => {
      if (text !== '') this.lines.push(text);
      const [, name, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(text) ?? [];
      if (name === 'data') data.push(value);
      if (name === 'id') id = value;
      if (text !== '') return;
      this.lastEventId = id;
      if (data.length > 0) this.received.push({ id, data: data.join('\n') });
      data = [];
    };
    res.setEncoding('utf8').on('data', (chunk: string) => {
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() as string;
      for (const text of lines) line(text);
      this.#arrived.resolve();
      this.#arrived = Promise.withResolvers();
    });
    // What was not complete when the connection ended is no event.
    res.on('error', () => undefined);
  }
}

/** Resolves with whether the answer was whole when it ended. */
export function ended(res: IncomingMessage): Promise<boolean> {
  return new Promise((resolve) => res.once('close', () => resolve(res.complete)));
}
