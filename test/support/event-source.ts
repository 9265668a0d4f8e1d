import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { bearer } from './service.ts';

/** An event as a client of a stream receives it. */
export interface Received {
  readonly id: string;
  readonly data: string;
}

/**
 * A client of Server-Sent Events (HTML standard, section 9.2.6) that, unlike browsers, reconnects
 * only when told to.
 */
export class EventSource {
  /** The dispatched events of all connections. */
  readonly received: Received[] = [];
  /** The received field lines and comments. */
  readonly lines: string[] = [];
  /** The Last-Event-ID that it sends when it reconnects. */
  lastEventId = '';
  readonly #key: string;
  #asking: ClientRequest | undefined;
  #res: IncomingMessage | undefined;
  #arrived = Promise.withResolvers<void>();

  constructor(key: string) {
    this.#key = key;
  }

  /** Connects, and resolves with the response's head. The body is read in the background. */
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

  /** Cuts the connection at once. */
  cut(): void {
    this.#asking?.destroy();
  }

  /** Stops reading until told otherwise. */
  pause(): void {
    this.#res?.pause();
  }

  resume(): void {
    this.#res?.resume();
  }

  /** Resolves when `find` returns something for the events so far. */
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
    // An incomplete event at the end of a connection is discarded.
    res.on('error', () => undefined);
  }
}

/** Resolves, when the response has ended, with true if it was complete. */
export function ended(res: IncomingMessage): Promise<boolean> {
  return new Promise((resolve) => res.once('close', () => resolve(res.complete)));
}
