/**
 * The load generator of the overload and fairness harnesses, as a program: one JSON argument in, one JSON line out. It
 * cancels orders, or reads, over a bounded number of connections, one request at a time on each.
 *
 * In an open loop, requests are sent by a schedule, whatever becomes of those before, and a latency
 * counts from the scheduled time: a generator that waits for answers would send less the slower the
 * service is, and leave out the very requests that wait (coordinated omission). A request that is due
 * while every connection is busy is not sent, and counted as such. In a closed loop, each connection sends the
 * next request when it has the answer.
 */
import { connect, type Socket } from 'node:net';

export interface GeneratorOrder {
  readonly port: number;
  readonly key: string;
  readonly connections: number;
  readonly seconds: number;
  /** The time at which the load begins, in milliseconds since 1970; absent: when all are connected. */
  readonly beginAtMs?: number;
  /** The rate of an open loop; absent: a closed loop. */
  readonly perSecond?: number;
  /**
   * The ids of the orders to cancel, from this one to that one; absent where it reads. One that is
   * refused is sent again later.
   */
  readonly ids?: readonly [first: number, last: number];
  /** What it reads, in turn. */
  readonly targets?: readonly string[];
  /** The codes of answers that count as refusals; absent: only `service_unavailable`. */
  readonly refusals?: readonly string[];
}

export interface Seen {
  readonly scheduled: number;
  readonly unsent: number;
  readonly sent: number;
  /** The number of accepted requests that were answered before the end. */
  readonly inTime: number;
  /** Those that were answered with a 200 or 204. */
  readonly accepted: Latencies;
  readonly refused: Latencies;
  /** The numbers of other answers, by their status and body. */
  readonly others: Readonly<Record<string, number>>;
  /** The numbers of requests without an answer, 5 seconds after the end. */
  readonly unanswered: number;
  /** The numbers of refusals by their `Retry-After`. */
  readonly retryAfter: Readonly<Record<string, number>>;
  readonly seconds: number;
  /** The first id that was not used. */
  readonly nextId: number;
}

/** Latencies in milliseconds. */
export interface Latencies {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

const LAST_ANSWERS_MS = 5_000;

/** What is sent: the method and the target of each request. */
class Requests {
  readonly #lastId: number;
  readonly #targets: readonly string[];
  readonly #again: string[] = [];
  #count = 0;
  nextId: number;

  constructor({ ids = [1, 0], targets = [] }: GeneratorOrder) {
    [this.nextId, this.#lastId] = ids;
    this.#targets = targets;
  }

  next(): string {
    if (this.#targets.length > 0)
      return `GET ${this.#targets[this.#count++ % this.#targets.length]}`;
    const again = this.#again.pop();
    if (again !== undefined) return again;
    if (this.nextId > this.#lastId) throw new Error('there are too few orders to cancel');
    return `DELETE /v1/store/orders/${this.nextId++}`;
  }

  /** Notes that a request was not accepted. */
  refused(request: string): void {
    if (this.#targets.length === 0) this.#again.push(request);
  }
}

class Generator {
  readonly #order: GeneratorOrder;
  readonly #requests: Requests;
  readonly #refusals: readonly string[];
  readonly #idle: Connection[] = [];
  readonly #accepted: number[] = [];
  readonly #refused: number[] = [];
  readonly #others: Record<string, number> = {};
  readonly #retryAfter: Record<string, number> = {};
  #sent = 0;
  #answered = 0;
  #lost = 0;
  #isOver = false;

  constructor(order: GeneratorOrder) {
    this.#order = order;
    const { refusals = ['service_unavailable'] } = order;
    this.#refusals = refusals.map((code) => `"${code}"`);
    this.#requests = new Requests(order);
  }

  async run(): Promise<Seen> {
    const { connections, seconds, perSecond } = this.#order;
    const all = await Promise.all(Array.from({ length: connections }, () => this.#connect()));
    // A service accepts a few connections in each turn: while it is overloaded, seconds would go by.
    await Promise.all(all.map((connection) => this.#warmUp(connection)));
    await until(() => performance.timeOrigin + performance.now() >= (this.#order.beginAtMs ?? 0));
    const begun = performance.now();
    const end = begun + seconds * 1_000;
    this.#idle.push(...all);
    let scheduled = 0;
    if (perSecond === undefined) {
      for (const connection of this.#idle.splice(0)) this.#send(connection, begun);
      await until(() => performance.now() >= end);
    } else {
      await until(() => {
        const now = Math.min(performance.now(), end);
        for (; (scheduled * 1_000) / perSecond <= now - begun; scheduled++) {
          // In turn: the service closes a connection on which no request comes for some seconds.
          const connection = this.#idle.shift();
          if (connection === undefined) continue;
          this.#send(connection, begun + (scheduled * 1_000) / perSecond);
        }
        return now >= end;
      });
    }
    this.#isOver = true;
    const elapsed = (performance.now() - begun) / 1_000;
    const inTime = this.#accepted.length;
    const patience = performance.now() + LAST_ANSWERS_MS;
    await until(() => this.#answered + this.#lost >= this.#sent || performance.now() > patience);
    for (const { socket } of all) socket.destroy();
    return {
      scheduled: perSecond === undefined ? this.#sent : scheduled,
      unsent: perSecond === undefined ? 0 : scheduled - this.#sent,
      sent: this.#sent,
      inTime,
      accepted: latenciesOf(this.#accepted),
      refused: latenciesOf(this.#refused),
      others: this.#others,
      unanswered: this.#sent - this.#answered,
      retryAfter: this.#retryAfter,
      seconds: elapsed,
      nextId: this.#requests.nextId,
    };
  }

  #send(connection: Connection, scheduledAt: number): void {
    const request = this.#requests.next();
    this.#sent += 1;
    connection.request = { request, scheduledAt };
    connection.socket.write(
      `${request} HTTP/1.1\r\nHost: o\r\nAuthorization: Bearer ${this.#order.key}\r\n\r\n`,
    );
  }

  /** Resolves when the service has accepted the connection, which it has when it answers there. */
  #warmUp(connection: Connection): Promise<void> {
    return new Promise((resolve) => {
      connection.warmedUp = resolve;
      connection.socket.write('GET /livez HTTP/1.1\r\nHost: o\r\n\r\n');
    });
  }

  #answer(connection: Connection, head: string, body: string): void {
    if (connection.warmedUp !== undefined) {
      connection.warmedUp();
      connection.warmedUp = undefined;
      return;
    }
    // A 408 to a connection on which no request came for too long, which is closed behind it.
    if (connection.request === undefined) return;
    const status = Number(head.slice(9, 12));
    const { request, scheduledAt } = connection.request;
    const now = performance.now();
    connection.request = undefined;
    this.#answered += 1;
    if (status === 204 || status === 200) this.#accepted.push(now - scheduledAt);
    else {
      this.#requests.refused(request);
      if (this.#refusals.some((code) => body.includes(code))) {
        this.#refused.push(now - scheduledAt);
        count(this.#retryAfter, /^retry-after: (.*)$/im.exec(head)?.[1] ?? 'none');
      } else count(this.#others, `${status} ${body}`);
    }
    if (this.#isOver) return;
    if (this.#order.perSecond === undefined) this.#send(connection, now);
    else this.#idle.push(connection);
  }

  async #connect(): Promise<Connection> {
    const socket = connect({ port: this.#order.port, host: '127.0.0.1', noDelay: true });
    const connection: Connection = { socket, request: undefined, warmedUp: undefined };
    let text = '';
    let head: string | undefined;
    let length = 0;
    socket.setEncoding('latin1').on('data', (chunk: string) => {
      text += chunk;
      if (head === undefined) {
        const headEnd = text.indexOf('\r\n\r\n');
        if (headEnd === -1) return;
        head = text.slice(0, headEnd + 4);
        length = head.length + Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
      }
      if (text.length < length) return;
      const answer = [head, text.slice(head.length)] as const;
      text = '';
      head = undefined;
      this.#answer(connection, ...answer);
    });
    socket.on('close', () => {
      connection.warmedUp?.();
      if (connection.request !== undefined) this.#lost += 1;
      connection.request = undefined;
      const index = this.#idle.indexOf(connection);
      if (index !== -1) this.#idle.splice(index, 1);
    });
    await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject));
    socket.removeAllListeners('error').on('error', () => {});
    return connection;
  }
}

interface SentRequest {
  readonly request: string;
  readonly scheduledAt: number;
}

interface Connection {
  readonly socket: Socket;
  request: SentRequest | undefined;
  /** Defined while the answer to the first request is awaited. */
  warmedUp: (() => void) | undefined;
}

/** Resolves when a function returns true, which is called about every millisecond. */
function until(isDone: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = () => void (isDone() ? resolve() : setTimeout(look, 1));
    look();
  });
}

function count(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

function latenciesOf(unsorted: readonly number[]): Latencies {
  const sorted = Float64Array.from(unsorted).sort();
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
  return { count: sorted.length, p50: at(0.5), p99: at(0.99), max: sorted.at(-1) ?? 0 };
}

const seen = await new Generator(JSON.parse(process.argv[2] as string)).run();
process.stdout.write(`${JSON.stringify(seen)}\n`);
process.exit();
