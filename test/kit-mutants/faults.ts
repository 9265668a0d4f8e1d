import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { NewEvent, RecordedEvent } from '../../src/app/log/recorded-event.ts';
import type { Outcome, Submission } from '../../src/app/log/submission.ts';
import type { BatchWriter } from '../../src/app/ports/batch-writer.ts';
import type { EventLog, EventLogReader, KeptOutcomes } from '../../src/app/ports/event-log.ts';
import type { OrderEvent } from '../../src/domain/order.ts';

/** The switches that mutants are made of: each passes everything through but for one thing. */

type Asked = Submission['command'];

/** A writer whose outcomes are changed, one by one, after they were decided. */
export function changingOutcomes(
  writer: BatchWriter,
  change: (command: Asked, outcome: Outcome) => Outcome | Promise<Outcome>,
): BatchWriter {
  return {
    async execute(batch) {
      const outcomes = [...(await writer.execute(batch))];
      for (const [index, { command }] of batch.entries()) {
        outcomes[index] = await change(command, outcomes[index] as Outcome);
      }
      return outcomes;
    },
  };
}

/** A writer that hears other commands than were sent. */
export function changingCommands(
  writer: BatchWriter,
  change: (command: Asked) => Asked,
): BatchWriter {
  return {
    execute: (batch) => {
      return writer.execute(batch.map((each) => ({ ...each, command: change(each.command) })));
    },
  };
}

/** A log that is given other events than were decided. */
export function changingAppends(
  log: EventLog,
  change: (events: readonly NewEvent[]) => readonly NewEvent[],
): EventLog {
  return over(log, {
    append: (seen, decide, asked) =>
      log.append(seen, (newer, kept) => change(decide(newer, kept)), asked),
  });
}

/** A log whose readers are shown other events than were recorded. */
export function changingReads(
  log: EventLogReader,
  change: (event: RecordedEvent) => RecordedEvent,
): EventLogReader {
  return over(log, {
    async *read(after: number) {
      for await (const events of log.read(after)) yield events.map(change);
    },
  });
}

/** A part with some of its methods replaced. */
export function over<Part extends object>(part: Part, replaced: Partial<Part>): Part {
  return new Proxy(part, {
    get(target, name) {
      if (name in replaced) return replaced[name as keyof Part];
      const value = target[name as keyof Part];
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}

/** No outcome was ever kept, and none is. */
export const NOTHING_KEPT: KeptOutcomes = { recall: () => undefined, keep: () => undefined };

/** Records an event that nobody has decided. */
export async function recordAnyway(log: EventLog, event: OrderEvent): Promise<number> {
  let version = 1;
  for await (const events of log.read(0)) {
    version += events.filter((each) => each.event.orderId === event.orderId).length;
  }
  const metadata = { at: '2026-01-01T00:00:00.000Z' as never, by: 'fault', commandId: 'fault' };
  await log.append(await log.head(), () => [{ event, version, metadata }]);
  return version;
}

export interface Exchange {
  readonly request: IncomingMessage;
  readonly method: string;
  readonly path: string;
  readonly authorization: string | undefined;
  status: number;
  body: string;
  /** The headers to send in place of the application's; `undefined` removes one. */
  readonly headers: Record<string, string | undefined>;
  /** The number of bytes of the body after which the connection is cut; default never. */
  cutAfter?: number;
}

/** An HTTP application whose answers are changed before they are sent. */
export function changingAnswers(
  app: RequestListener,
  change: (exchange: Exchange) => void | Promise<void>,
): RequestListener {
  return (req, res) => {
    // Whatever is changed has to be readable.
    delete req.headers['accept-encoding'];
    const { method = '', url: path = '' } = req;
    const { authorization } = req.headers;
    const end = res.end.bind(res) as (body: string) => ServerResponse;
    const chunks: Buffer[] = [];
    // A head that is written before the end would be too early to change anything.
    res.writeHead = ((status: number, own: readonly string[] = []) => {
      res.statusCode = status;
      for (let i = 0; i < own.length; i += 2) res.setHeader(own[i] ?? '', own[i + 1] ?? '');
      return res;
    }) as typeof res.writeHead;
    res.write = ((chunk: Buffer) => {
      chunks.push(Buffer.from(chunk));
      return true;
    }) as typeof res.write;
    res.end = ((chunk?: Buffer | string) => {
      const body = Buffer.concat([...chunks, Buffer.from(chunk ?? '')]).toString();
      const { statusCode: status } = res;
      const exchange = { request: req, method, path, authorization, status, body, headers: {} };
      // The app's own are in its prototype.
      for (const name of ['writeHead', 'write']) Reflect.deleteProperty(res, name);
      const changed = change(exchange);
      if (changed === undefined) return send(res, exchange, end);
      changed.then(() => send(res, exchange, end));
      return res;
    }) as typeof res.end;
    app(req, res);
  };
}

function send(
  res: ServerResponse,
  { status, body, headers, cutAfter }: Exchange,
  end: (body: string) => ServerResponse,
): ServerResponse {
  res.statusCode = status;
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) res.removeHeader(name);
    else res.setHeader(name, value);
  }
  if (body === '') res.removeHeader('content-length');
  else res.setHeader('content-length', Buffer.byteLength(body));
  if (cutAfter === undefined) return end(body);
  if (cutAfter === 0) res.socket?.resetAndDestroy();
  else res.write(body.slice(0, cutAfter), () => res.socket?.destroy());
  return res;
}

/** The same for the list alone, as the texts of its orders. */
export function changingLists(
  app: RequestListener,
  change: (orders: readonly string[], exchange: Exchange) => readonly string[],
): RequestListener {
  return changingAnswers(app, (exchange) => {
    const isList = exchange.method === 'GET' && exchange.path.endsWith('/store/orders');
    if (!isList || exchange.status !== 200) return;
    const orders = exchange.body.match(/\{[^}]*\}/g) ?? [];
    exchange.body = `[${change(orders, exchange).join(',')}]`;
  });
}

/** An HTTP application that is asked something else than was sent. */
export function changingRequests(
  app: RequestListener,
  change: (req: Parameters<RequestListener>[0]) => void,
): RequestListener {
  return (req, res) => {
    change(req);
    app(req, res);
  };
}

/** An HTTP application that reads other bodies than were sent. */
export function changingBodies(
  app: RequestListener,
  change: (body: string, req: IncomingMessage) => string,
): RequestListener {
  return (req, res) => {
    const push = req.push.bind(req);
    const chunks: Buffer[] = [];
    // Node's parser pushes what it reads into the request, and `null` at its end.
    req.push = (chunk: Buffer | null) => {
      if (chunk !== null) return chunks.push(chunk) > 0;
      const body = Buffer.concat(chunks).toString();
      if (body !== '') push(Buffer.from(change(body, req)));
      return push(null);
    };
    if (req.headers['content-length'] !== undefined) {
      delete req.headers['content-length'];
      req.headers['transfer-encoding'] = 'chunked';
    }
    app(req, res);
  };
}

/** An int64 after a detour through a JavaScript number. */
export function rounded(id: bigint): bigint {
  return BigInt.asIntN(64, BigInt(Number(id)));
}
