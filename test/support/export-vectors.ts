import { createHash } from 'node:crypto';
import { noteLine } from '../../src/app/audit/proofs/cloud-event.ts';
import { sealText } from '../../src/app/audit/proofs/trail-seal.ts';
import { RecordTree } from '../../src/app/audit/proofs/verifier.ts';
import { NoteSigner } from '../../src/app/audit/proving/checkpoint.ts';
import { torsionedNote } from './torsioned.ts';

/** An export, and the verdict that a verifier must return. */
export interface ExportVector {
  readonly what: string;
  /** Stored checkpoints, all of which the log must have. */
  readonly checkpoints: readonly string[];
  readonly export: string;
  /** The number of its events; absent if it is none that the log has signed. */
  readonly events?: number;
}

const STORE_ID = 'fb4b0e07caf02b8d';
const SOURCE = `/store-orders/${STORE_ID}`;
const SEED = Buffer.alloc(32, 7);
const signer = new NoteSigner('store-orders/0123456789abcdef', SEED);
const stranger = new NoteSigner(signer.name, Buffer.alloc(32, 8));
const witness = new NoteSigner('witness.example', Buffer.alloc(32, 9));
const EPOCH = `1.${'0f'.repeat(16)}`;

/** The public key of all vectors. */
export const EXPORT_KEY = signer.verifierKey;

const MAX_ID = '9223372036854775807';
const MIN_ID = '-9223372036854775808';
const DATE = '2026-03-01T09:00:00.000Z';

/** Attributes of an event that differ from those of a genuine one; `undefined`: absent. */
type Attributes = Readonly<Record<string, unknown>>;

/** Returns the line of an event, whatever is in it. */
function line(position: number, type: string, data: string, other: Attributes = {}): string {
  const { orderId } = Object(parsed(data));
  const attributes = JSON.stringify({
    specversion: '1.0',
    id: String(position),
    source: SOURCE,
    type,
    subject: orderId,
    time: '2026-03-01T12:00:00.000Z',
    datacontenttype: 'application/json',
    position,
    version: type === 'OrderPlaced' ? 1 : 2,
    schemaversion: type === 'OrderPlaced' ? 2 : 1,
    by: 'Hs6IzlXByd',
    keyname: 'shop',
    commandid: `command-${position}`,
    ...other,
  });
  return `${attributes.slice(0, -1)},"data":${data}}`;
}

const placedOf = (orderId: string) => `{"orderId":"${orderId}","petId":"7","quantity":1}`;
const PLACED = line(1, 'OrderPlaced', placedOf('1'));

/** Returns what is hashed of a line, as its texts say it. */
function recordIn(text: string): string {
  const { time: at, by, commandid: commandId, ...event } = Object(parsed(text));
  const data = text.slice(text.indexOf(',"data":') + ',"data":'.length, -1);
  const metadata = JSON.stringify({ at, by, commandId });
  const { position, schemaversion, type, version } = event;
  const others = JSON.stringify({ position, schemaVersion: schemaversion, type, version });
  return `{"data":${data},"metadata":${metadata},${others.slice(1)}`;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

interface Parts {
  readonly first?: string;
  readonly note?: (note: string) => string;
  readonly size?: number;
  readonly epoch?: string;
  readonly seal?: (line: string) => string;
  readonly sealed?: Partial<Parameters<typeof sealText>[0]>;
  readonly sealer?: NoteSigner;
}

/**
 * Returns the lines of an export of any lines, signed by the log: of `events`, the checkpoint and
 * the seal are right, unless the others say something else.
 */
export function sealedLines(events: readonly string[], parts: Parts = {}): string[] {
  const tree = new RecordTree();
  for (const each of events) tree.add(recordIn(each));
  const { size = events.length, epoch } = parts;
  const note = signer.signCheckpoint(size, tree.head().root, epoch);
  const first = parts.first ?? noteLine('Checkpoint', STORE_ID, size, (parts.note ?? same)(note));
  const digest = createHash('sha256');
  for (const each of [first, ...events]) digest.update(`${each}\n`);
  const origin = epoch === undefined ? signer.name : `${signer.name}+${epoch}`;
  const said = { origin, storeId: STORE_ID, size, digest: digest.digest(), ...parts.sealed };
  const seal = noteLine('Seal', STORE_ID, size, (parts.sealer ?? signer).sign(sealText(said)));
  return [first, ...events, (parts.seal ?? same)(seal)];
}

function same(text: string): string {
  return text;
}

const textOf = (lines: readonly string[]) => lines.map((each) => `${each}\n`).join('');
const sealed = (events: readonly string[], parts?: Parts) => textOf(sealedLines(events, parts));
const [GENUINE_FIRST = ''] = sealedLines([PLACED]);
const STORED = Object(parsed(GENUINE_FIRST)).data as string;

/** Returns the vectors published in docs/export-vectors.json, which are deterministic. */
export function exportVectors(): readonly ExportVector[] {
  const genuine = Object.entries(genuineLogs()).map(([what, events]) => {
    return { what, checkpoints: [STORED], export: sealed(events), events: events.length };
  });
  const checkpoints = [STORED];
  const cosigned = (note: string) => note + (witness.sign(note).split('\n\n').at(-1) ?? '');
  const one = { checkpoints, events: 1 };
  const forms: ExportVector[] = [
    { what: 'no events', checkpoints: [], export: sealed([]), events: 0 },
    { what: 'a cosigned checkpoint', export: sealed([PLACED], { note: cosigned }), ...one },
    { what: 'a log in a later epoch', export: sealed([PLACED], { epoch: EPOCH }), ...one },
  ];
  const forged = Object.entries({ ...forgedFiles(), ...forgedEvents() }).map(([what, text]) => {
    return { what, checkpoints, export: text };
  });
  return [...forms, ...genuine, ...forged];
}

/** Logs that a verifier might refuse by mistake. */
function genuineLogs(): Readonly<Record<string, readonly string[]>> {
  const cancelled = (position: number, id: string, reason?: string) => {
    const data =
      reason === undefined ? `{"orderId":"${id}"}` : `{"orderId":"${id}","reason":"${reason}"}`;
    return line(position, 'OrderCancelled', data, { schemaversion: reason === undefined ? 1 : 2 });
  };
  const second = (data: string, other?: Attributes) => [
    PLACED,
    line(2, 'OrderPlaced', data, other),
  ];
  return {
    'one event': [PLACED],
    'each type and form of an event': [
      PLACED,
      line(
        2,
        'OrderPlaced',
        `{"orderId":"2","petId":-9007199254740991,"quantity":1,"shipDate":null}`,
        {
          schemaversion: 1,
        },
      ),
      line(
        3,
        'OrderPlaced',
        `{"orderId":"3","petId":0,"quantity":2147483647,"shipDate":"${DATE}"}`,
        {
          schemaversion: 1,
        },
      ),
      line(
        4,
        'OrderPlaced',
        `{"orderId":"${MAX_ID}","petId":"${MIN_ID}","quantity":1,"shipDate":"${DATE}"}`,
      ),
      line(5, 'OrderPlaced', placedOf(MIN_ID)),
      line(6, 'OrderShipped', `{"orderId":"${MAX_ID}","shipDate":"${DATE}"}`),
      cancelled(7, '1'),
      cancelled(8, '2', 'other'),
      cancelled(9, '3', 'duplicate'),
    ],
    'an event by a tool, without the name of a key': second(placedOf('2'), {
      by: 'import',
      keyname: undefined,
    }),
    'an event with a trace': second(placedOf('2'), {
      // Behind the other attributes, as it stands in an export.
      traceparent: '01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00',
    }),
    'texts with any characters, and empty ones': second(placedOf('2'), {
      by: '',
      keyname: '\u0000\u001f"\\/<&>\u007f\u0085\u2028\ufeff\u{1f436}',
      commandid: '\r\n',
    }),
    'times in the last year, at equal times': [
      PLACED,
      line(2, 'OrderPlaced', placedOf('0'), { time: '9999-12-31T23:59:59.999Z' }),
      line(3, 'OrderShipped', '{"orderId":"0","shipDate":"0000-02-29T00:00:00.000Z"}', {
        time: '9999-12-31T23:59:59.999Z',
      }),
    ],
  };
}

/** Exports whose file is wrong. */
function forgedFiles(): Readonly<Record<string, string>> {
  const [first = '', , seal = ''] = sealedLines([PLACED]);
  const genuine = sealed([PLACED]);
  const other = line(1, 'OrderPlaced', placedOf('2'));
  const note = (changed: string, size = 1) =>
    sealed([PLACED], { first: noteLine('Checkpoint', STORE_ID, size, changed) });
  const sealedAs = (said: Parts['sealed'], sealer?: NoteSigner) =>
    sealed([PLACED], { ...(said && { sealed: said }), ...(sealer && { sealer }) });
  const firstAs = (from: string, to: string) =>
    sealed([PLACED], { first: first.replace(from, to) });
  const sealAs = (from: string | RegExp, to: string) =>
    sealed([PLACED], { seal: (text) => text.replace(from, to) });
  const root = Buffer.alloc(32, 1);
  const torsioned = (text: string) => torsionedNote(SEED, text);
  return {
    nothing: '',
    'a byte order mark': `\ufeff${genuine}`,
    'lines that end with CR LF': genuine.replaceAll('\n', '\r\n'),
    'no end of the last line': genuine.slice(0, -1),
    'an empty line at the end': `${genuine}\n`,
    'an empty line between': genuine.replace('\n', '\n\n'),
    'no first line': textOf([PLACED, seal]),
    'the first line twice': textOf([first, first, PLACED, seal]),
    'no seal': textOf([first, PLACED]),
    'the seal twice': textOf([first, PLACED, seal, seal]),
    'an event of which the seal knows nothing': textOf([
      first,
      PLACED,
      seal,
      line(2, 'OrderPlaced', placedOf('2')),
    ]),
    'an event behind the seal': textOf([first, seal, PLACED]),
    'the seal alone behind the first line': textOf([first, seal]),
    'another event': textOf([first, other, seal]),
    'another name of a key': genuine.replace('"keyname":"shop"', '"keyname":"Shop"'),
    'the name of a key added': textOf([
      first,
      ...sealedLines([line(1, 'OrderPlaced', placedOf('1'), { keyname: undefined })]).slice(1, 2),
      seal,
    ]),
    'other events than those of a stored checkpoint': sealed([other]),
    'another beginning than that of a stored checkpoint': sealed([
      other,
      line(2, 'OrderPlaced', placedOf('1')),
    ]),
    'another event in a later epoch': sealed([other], { epoch: EPOCH }),
    'fewer events than a stored checkpoint has': sealed([]),
    'a checkpoint of more events': sealed([PLACED], { size: 2 }),
    'a checkpoint of fewer events': sealed([PLACED, line(2, 'OrderPlaced', placedOf('2'))], {
      size: 1,
    }),
    'a checkpoint with another root': note(signer.signCheckpoint(1, root)),
    'a checkpoint by another key': note(stranger.signCheckpoint(1, new RecordTree().head().root)),
    'a checkpoint of another size beside its line': note(STORED, 2),
    'a checkpoint with another line in it': note(signer.sign(`${STORED.split('\n\n')[0]}\nmore\n`)),
    'a checkpoint signed with a component of small order': sealed([PLACED], { note: torsioned }),
    'a seal signed with a component of small order': sealed([PLACED], {
      seal: (text) => noteLine('Seal', STORE_ID, 1, torsioned(Object(parsed(text)).data)),
    }),
    'a first line with a blank': firstAs(':', ': '),
    'a first line with one member more': firstAs('"data"', '"more":1,"data"'),
    'a first line of another type': firstAs('"Checkpoint"', '"checkpoint"'),
    'a first line with another format': firstAs('"1.0"', '"1.1"'),
    'another kind of source': anotherKindOfSource(),
    'a seal of other lines': sealedAs({ digest: root }),
    'a seal of another log': sealedAs({ origin: `${signer.name}+${EPOCH}` }),
    'a seal of another store': sealedAs({ storeId: '0011223344556677' }),
    'a seal of another size': sealedAs({ size: 2 }),
    'a seal by another key': sealedAs({}, stranger),
    'a seal without a signature': sealAs(/\\n— .*\\n"/, '\\n"'),
    'a seal with a checkpoint in it': sealed([PLACED], {
      seal: () => noteLine('Seal', STORE_ID, 1, STORED),
    }),
    'a seal with one member more': sealAs(/\}$/, ',"more":1}'),
    'a seal with a blank behind it': sealAs(/$/, ' '),
    'a seal of another size beside its line': sealAs('seal-1', 'seal-2'),
  };
}

/** Returns an export whose lines and seal have a source of another form. */
function anotherKindOfSource(): string {
  const changed = (text: string) => text.replaceAll(SOURCE, '/other');
  const lines = sealedLines([PLACED]).map(changed);
  const digest = createHash('sha256')
    .update(textOf(lines.slice(0, -1)))
    .digest();
  const said = { origin: signer.name, storeId: STORE_ID, size: 1, digest };
  const seal = signer.sign(changed(sealText(said)));
  return textOf([...lines.slice(0, -1), changed(noteLine('Seal', STORE_ID, 1, seal))]);
}

/** Exports with an event that no log has, all of them signed by the log's own key. */
function forgedEvents(): Readonly<Record<string, string>> {
  const with2 = (type: string, data: string, other?: Attributes) =>
    sealed([PLACED, line(2, type, data, other)]);
  const placed = (data: string, other?: Attributes) => with2('OrderPlaced', data, other);
  const placed1 = (data: string) => placed(data, { schemaversion: 1 });
  const of = (other: Attributes) => placed(placedOf('2'), other);
  const edited = (from: string | RegExp, to: string) =>
    sealed([PLACED, line(2, 'OrderPlaced', placedOf('2')).replace(from, to)]);
  const idOf = (id: string) => placed(`{"orderId":${id},"petId":"7","quantity":1}`);
  const petOf = (pet: string) => placed(`{"orderId":"2","petId":${pet},"quantity":1}`);
  const quantityOf = (quantity: string) =>
    placed(`{"orderId":"2","petId":"7","quantity":${quantity}}`);
  const dateOf = (date: string) =>
    placed(`{"orderId":"2","petId":"7","quantity":1,"shipDate":${date}}`);
  const cancelled = (data: string, other?: Attributes) => with2('OrderCancelled', data, other);
  const shipped = line(2, 'OrderShipped', `{"orderId":"1","shipDate":"${DATE}"}`);
  const ended = line(2, 'OrderCancelled', '{"orderId":"1"}');
  const third = (before: string, type: string, data: string, other: Attributes = {}) =>
    sealed([PLACED, before, line(3, type, data, { version: 3, ...other })]);
  return {
    'a position twice': sealed([PLACED, line(1, 'OrderPlaced', placedOf('2'))]),
    'a position that is missing': sealed([PLACED, line(3, 'OrderPlaced', placedOf('2'))]),
    'a position that is a text': of({ position: '2' }),
    'an order that is placed twice': placed(placedOf('1'), { version: 2 }),
    'an order that is placed twice, each time with version 1': placed(placedOf('1')),
    'an order that begins with version 2': of({ version: 2 }),
    'a version that is left out': cancelled('{"orderId":"1"}', { version: 3 }),
    'a version that is repeated': cancelled('{"orderId":"1"}', { version: 1 }),
    'an order that was not placed, and ships': with2(
      'OrderShipped',
      `{"orderId":"2","shipDate":"${DATE}"}`,
    ),
    'an order that was not placed, and is cancelled': cancelled('{"orderId":"2"}', { version: 1 }),
    'an order that is cancelled after it has shipped': third(
      shipped,
      'OrderCancelled',
      '{"orderId":"1"}',
    ),
    'an order that ships after it was cancelled': third(
      ended,
      'OrderShipped',
      `{"orderId":"1","shipDate":"${DATE}"}`,
    ),
    'an order that ships twice': third(
      shipped,
      'OrderShipped',
      `{"orderId":"1","shipDate":"${DATE}"}`,
    ),
    'an order that is cancelled twice': third(ended, 'OrderCancelled', '{"orderId":"1"}'),
    'an order that is cancelled twice, each time with version 2': third(
      ended,
      'OrderCancelled',
      '{"orderId":"1"}',
      { version: 2 },
    ),
    'an order that is placed after it was cancelled': third(ended, 'OrderPlaced', placedOf('1'), {
      version: 1,
    }),
    'a time before that of the event before': of({ time: '2026-03-01T11:59:59.999Z' }),
    'a time without milliseconds': of({ time: '2026-03-01T12:00:00Z' }),
    'a time with an offset': of({ time: '2026-03-01T12:00:00.000+00:00' }),
    'a time in lower case': of({ time: '2026-03-01t12:00:00.000z' }),
    'a time of a day that does not exist': of({ time: '2027-02-29T12:00:00.000Z' }),
    'a time with a leap second': of({ time: '2026-12-31T23:59:60.000Z' }),
    'a time at 24:00': of({ time: '2026-12-31T24:00:00.000Z' }),
    'a time after the year 9999': of({ time: '+010000-01-01T00:00:00.000Z' }),
    'a time that is a number': of({ time: 1 }),
    'no time': of({ time: undefined }),
    'an id that is a number': idOf('2'),
    'an id with a zero before it': idOf('"02"'),
    'an id with a plus sign': idOf('"+2"'),
    'an id that is minus zero': idOf('"-0"'),
    'an id with a fraction': idOf('"2.0"'),
    'an id with a blank': idOf('"2 "'),
    'an id with a line feed behind it': idOf('"2\\n"'),
    'an id in other digits': idOf('"\uff12"'),
    'an id that is empty': idOf('""'),
    'an id in hexadecimal': idOf('"0x2"'),
    'an id in a list': idOf('["2"]'),
    'an id above 64 bits': idOf('"9223372036854775808"'),
    'an id below 64 bits': idOf('"-9223372036854775809"'),
    'an id with a needless escape': idOf('"\\u0032"'),
    'a petId that is a number': petOf('7'),
    'a petId above 64 bits': petOf('"9223372036854775808"'),
    'a petId of the first form that is a text': placed1(
      '{"orderId":"2","petId":"7","quantity":1,"shipDate":null}',
    ),
    'a petId of the first form beyond 2^53 - 1': placed1(
      '{"orderId":"2","petId":9007199254740992,"quantity":1,"shipDate":null}',
    ),
    'a petId of the first form with a fraction': placed1(
      '{"orderId":"2","petId":7.5,"quantity":1,"shipDate":null}',
    ),
    'a quantity of 0': quantityOf('0'),
    'a quantity beyond 32 bits': quantityOf('2147483648'),
    'a quantity with a fraction': quantityOf('1.5'),
    'a quantity that is a text': quantityOf('"1"'),
    'a quantity that is true': quantityOf('true'),
    'a quantity in another spelling': quantityOf('1.0'),
    'no quantity': placed('{"orderId":"2","petId":"7"}'),
    'a date that is null': dateOf('null'),
    'a date of a day that does not exist': dateOf('"2027-02-29T09:00:00.000Z"'),
    'a date after the year 9999': dateOf('"+010000-01-01T00:00:00.000Z"'),
    'a date without a time': dateOf('"2026-03-01"'),
    'a date in a list': dateOf(`["${DATE}"]`),
    'an event of the first form without a date': placed1('{"orderId":"2","petId":7,"quantity":1}'),
    'an order that ships without a date': with2('OrderShipped', '{"orderId":"1"}'),
    'a reason in free text': cancelled('{"orderId":"1","reason":"a cat"}', { schemaversion: 2 }),
    'a reason in the first form': cancelled('{"orderId":"1","reason":"other"}'),
    'no reason in the second form': cancelled('{"orderId":"1"}', { schemaversion: 2 }),
    'a member too many in the data': placed('{"more":1,"orderId":"2","petId":"7","quantity":1}'),
    'a member named __proto__ in the data': placed(
      '{"__proto__":{},"orderId":"2","petId":"7","quantity":1}',
    ),
    'a member of the data twice': placed('{"orderId":"2","orderId":"2","petId":"7","quantity":1}'),
    'members of the data in another order': placed('{"petId":"7","orderId":"2","quantity":1}'),
    'a blank in the data': placed('{"orderId":"2", "petId":"7","quantity":1}'),
    'data that is null': with2('OrderPlaced', 'null', { subject: '2' }),
    'data that is a list': with2('OrderPlaced', '["2"]', { subject: '2' }),
    'data that is a text': with2('OrderPlaced', JSON.stringify(placedOf('2')), { subject: '2' }),
    'an event of an unknown type': with2('OrderReturned', '{"orderId":"1"}'),
    'an event of a type in lower case': of({ type: 'orderPlaced' }),
    'an event of the type toString': with2('toString', '{"orderId":"1"}'),
    'an event of an unknown form': of({ schemaversion: 3 }),
    'an event of the form 0': of({ schemaversion: 0 }),
    'an event whose form is a text': of({ schemaversion: '2' }),
    'another id than the position': of({ id: '3' }),
    'another subject than the order': of({ subject: '3' }),
    'no subject': of({ subject: undefined }),
    'an event of another store': of({ source: '/store-orders/0011223344556677' }),
    'another version of CloudEvents': of({ specversion: '1.1' }),
    'another type of content': of({ datacontenttype: 'text/plain' }),
    'an author that is a number': of({ by: 1 }),
    'an author with half of a surrogate pair': of({ by: '\ud83d' }),
    'no author': of({ by: undefined }),
    'the name of a key that is a number': of({ keyname: 1 }),
    'the name of a key that is null': of({ keyname: null }),
    'the name of a key with half of a surrogate pair': of({ keyname: '\ud83d' }),
    'a command that is null': of({ commandid: null }),
    'no command': of({ commandid: undefined }),
    'a trace that is empty': of({ traceparent: '' }),
    'a trace of zeros': of({ traceparent: `00-${'0'.repeat(32)}-00f067aa0ba902b7-01` }),
    'a trace of the version ff': of({
      traceparent: 'ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    }),
    'a trace in upper case': of({
      traceparent: '00-4BF92F3577B34DA6A3CE929D0E0E4736-00F067AA0BA902B7-01',
    }),
    'a trace with a fifth field': of({
      traceparent: '01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more',
    }),
    'an attribute that no event has': edited('"keyname"', '"more":1,"keyname"'),
    'an attribute twice': edited(
      '"type":"OrderPlaced"',
      '"type":"OrderCancelled","type":"OrderPlaced"',
    ),
    'attributes in another order': edited(
      '"specversion":"1.0","id":"2"',
      '"id":"2","specversion":"1.0"',
    ),
    'a member behind the data': edited(/\}$/, ',"more":1}'),
    'a blank between attributes': edited(',"type"', ', "type"'),
    'a needless escape': edited('"shop"', '"\\u0073hop"'),
    'an event that is not JSON': edited(/\}$/, ''),
    'an event in a list': edited(/^(.*)$/, '[$1]'),
  };
}
