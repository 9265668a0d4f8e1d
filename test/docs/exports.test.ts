import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { headUnder } from '../../src/app/audit/proofs/trail-check.ts';
import { verifyCheckpoint } from '../../src/app/audit/proofs/verifier.ts';
import { readTrail } from '../../src/cli/shared/trail-lines.ts';
import { checkExport } from '../../src/console/state/export-check.ts';
import { isVerified } from '../../src/console/state/proof-steps.ts';
import { decodeStrictly } from '../../src/infra/events/codec.ts';
import { anyText } from '../support/any-text.ts';
import { EXPORT_KEY, exportVectors, sealedLines } from '../support/export-vectors.ts';
import { temporaryFolder } from '../support/folder.ts';
import { isNightly } from '../support/nightly.ts';
import { type Mistakes, testMistakes, verifierInPages } from './verifiers.ts';

/**
 * docs/exports.md contains a verifier that was written from the specification alone. It, the command
 * line and the console must agree on every export, genuine or forged.
 */

/** The verifier in the page: returns the number of verified events, or throws. */
interface OfThePage {
  verifyExport(
    lines: Iterable<string>,
    vkey: string,
    checkpoints: readonly string[],
  ): { size: number };
  linesOf(file: string): Iterable<string>;
}

const verifierOfThePage = () => verifierInPages<OfThePage>('verify-export.mjs');

interface Given {
  readonly export: string;
  readonly checkpoints: readonly string[];
}

/** Writes an export to a file of the running test. */
function fileOf(text: string): string {
  const file = join(temporaryFolder(), 'trail.ndjson');
  writeFileSync(file, text);
  return file;
}

/** Returns the number of events that the page's verifier verifies. Any exception is a refusal. */
function byThePage(page: OfThePage, file: string, { checkpoints }: Given): number | undefined {
  try {
    return page.verifyExport(page.linesOf(file), EXPORT_KEY, checkpoints).size;
  } catch {
    return undefined;
  }
}

/** Returns the number of events that the command line verifies. */
async function byTheCommandLine(file: string, { checkpoints }: Given): Promise<number | undefined> {
  const headsOf = (origin: string) =>
    checkpoints.map((note, index) => {
      const verdict = verifyCheckpoint(note, EXPORT_KEY);
      return verdict.ok
        ? headUnder(origin, `checkpoint ${index}`, verdict.value)
        : expect.fail(verdict.reason);
    });
  const input = await open(file);
  try {
    const reading = { decode: decodeStrictly, keys: [EXPORT_KEY], headsOf };
    const read = await readTrail(input, 'Checking', new PassThrough(), reading);
    return read.finding === undefined ? read.size : undefined;
  } finally {
    await input.close();
  }
}

/** Returns the number of events that the console verifies. */
async function byTheConsole({ export: text, checkpoints }: Given): Promise<number | undefined> {
  const input = { file: new Blob([text]), key: EXPORT_KEY, notes: checkpoints };
  const checked = await checkExport(input, new AbortController().signal, () => {});
  return isVerified(checked) ? checked.index?.events : undefined;
}

test('The published vectors are those that the tests generate', async () => {
  const format = 'store-orders/export-vectors/v1';
  const text = JSON.stringify({ format, key: EXPORT_KEY, vectors: exportVectors() }, null, 1);
  await expect(`${text}\n`).toMatchFileSnapshot('../../docs/export-vectors.json');
});

test('Each vector is genuine or forged as described, and no two are equal', async () => {
  const page = await verifierOfThePage();
  const vectors = exportVectors();
  expect(new Set(vectors.map(({ what }) => what)).size).toBe(vectors.length);
  expect(new Set(vectors.map((each) => JSON.stringify([each.export, each.checkpoints]))).size).toBe(
    vectors.length,
  );
  for (const vector of vectors) {
    const { what, events } = vector;
    const file = fileOf(vector.export);
    expect(byThePage(page, file, vector), `${what}, by the page`).toBe(events);
    expect(await byTheCommandLine(file, vector), `${what}, by the command line`).toBe(events);
    expect(await byTheConsole(vector), `${what}, by the console`).toBe(events);
  }
  expect(vectors.filter(({ events }) => events === undefined).length).toBeGreaterThan(120);
});

/** Mistakes of a verifier, planted in that of the page. */
const MISTAKES: Mistakes = {
  'accepts numbers as ids': ['isText(text) && /^(0|', '/^(0|'],
  'accepts ids in any spelling': ['/^(0|-?[1-9][0-9]{0,18})$/', '/^-?[0-9]+$/'],
  'accepts ids of any size': ['BigInt.asIntN(64, BigInt(text)) === BigInt(text)', 'true'],
  'accepts unsigned ids': ['BigInt.asIntN', 'BigInt.asUintN'],
  'accepts times in any spelling': ['&& new Date(text).toISOString() === text', ''],
  'accepts times of any year': ['/^[0-9]{4}-/.test(text) && ', ''],
  'accepts fractions': ['Number.isInteger(number)', "typeof number === 'number'"],
  'accepts a quantity of 0': ['number >= 1', 'number >= 0'],
  'accepts a quantity of any size': [' && number <= 2147483647', ''],
  'accepts fewer quantities': ['number <= 2147483647', 'number < 2147483647'],
  'accepts petIds that are not exact': ['petId: Number.isSafeInteger', 'petId: Number.isInteger'],
  'accepts no date that is null': ['date === null || ', ''],
  'accepts an absent date in the first form': ['date === null', 'date == null'],
  'accepts null for an absent date': ['date === undefined', 'date == undefined'],
  'requires a date': ['date === undefined || ', ''],
  'accepts any reason': ["[...REASONS, 'duplicate', 'other'].includes(reason)", 'isText(reason)'],
  'knows fewer reasons': [", 'duplicate', 'other'", ''],
  'accepts members of any name': [
    'ATTRIBUTES.filter((name) => !OPTIONAL.includes(name) || name in event)',
    'Object.keys(event)',
  ],
  'requires the name of a key': ["['keyname', 'traceparent']", "['traceparent']"],
  'accepts any trace': ['event.traceparent === undefined || TRACE.test(event.traceparent)', 'true'],
  'accepts a trace with a fifth field': ['-[0-9a-f]{2}$/;', '-[0-9a-f]{2}/;'],
  'accepts any serialization': ["canonical(data) + '}' === line", "canonical(data) + '}' !== ''"],
  'accepts any version of CloudEvents': ["event.specversion === '1.0' && ", ''],
  'accepts any type of content': [" && event.datacontenttype === 'application/json'", ''],
  'does not compare the id': ['event.id === String(position) && ', ''],
  'does not compare the source': [' && event.source === source', ''],
  'does not compare the subject': ['event.subject === data.orderId', 'true'],
  'accepts any author': ['isText(by) && ', ''],
  'accepts any command': ['isText(commandId) && ', ''],
  'accepts any name of a key': [' && (event.keyname === undefined || isText(event.keyname))', ''],
  'accepts null for the name of a key': ['event.keyname === undefined', 'event.keyname == null'],
  'accepts any form': [
    "need(Object.hasOwn(FORMS, type + ' ' + schemaVersion), 'an event of an unknown form');",
    "if (!Object.hasOwn(FORMS, type + ' ' + schemaVersion)) return { ...event, record: canonical({ data, metadata: { at, by, commandId }, position, schemaVersion, type, version }) };",
  ],
  'accepts a form that is a text': ['need(Number.isSafeInteger(schemaVersion)', 'need(true'],
  'accepts members too many in the data': [
    '.every((name) => Object.hasOwn(form, name))',
    '.every(() => true)',
  ],
  'looks for members where all objects have some': ['Object.hasOwn(form, name)', 'name in form'],
  'does not read the data': ['form[name](data[name])', 'true'],
  'accepts any first line': [
    "need(noteLine('Checkpoint', source, checkpoint.size, data) === line, 'another text');",
    '',
  ],
  'accepts any source': ["need(String(source).startsWith('/store-orders/'), 'not a store');", ''],
  'accepts any line of a seal': [
    "need(noteLine('Seal', source, size, data) === line, 'another text');",
    '',
  ],
  'accepts any signed seal': [
    'signedText(data, key) === text',
    'signedText(data, key) !== undefined',
  ],
  'signs less in the seal': [
    'need(signedText(data, key) === text, ',
    "need(signedText(data, key).split('\\n').slice(0, 4).join() === text.split('\\n').slice(0, 4).join(), ",
  ],
  'needs no seal': ["need(isSealed, 'no seal');", ''],
  'does not compare the root': ['heads.push(log);', ''],
  'does not compare stored checkpoints': [
    'checkpoints.map((note) => readCheckpoint(note, key))',
    '[]',
  ],
  'compares heads at the end only': [
    '      [size, before] = [position, time];\n      compare();',
    '      [size, before] = [position, time];\n      if (size === log.size) compare();',
  ],
  'accepts fewer events than a checkpoint has': [
    'heads.every((head) => head.size <= size)',
    'true',
  ],
  'knows no log without events': ['roots.length === 0 ? sha256() : ', ''],
  'accepts any position': ['need(position === size + 1', 'need(true'],
  'accepts any order of times': ['time >= before', 'true'],
  'accepts no equal times': ['time >= before', 'time > before'],
  'accepts what cannot happen': ['ended.get(subject) === false', 'true'],
  'accepts an order that is placed twice': ['!ended.has(subject)', 'true'],
  'accepts any version': ["version === (type === 'OrderPlaced' ? 1 : 2)", 'true'],
  'joins the tree wrongly': ['rest % 2 === 1', 'rest > 0 && rest % 4 === 1'],
  'accepts a byte order mark': [', ignoreBOM: true', ''],
  'needs no end of the last line': [
    "need(rest + decoder.decode() === '', 'no end of the last line');",
    'if (rest) yield rest;',
  ],
  'accepts CR LF': [".split('\\n');\n    rest", '.split(/\\r?\\n/);\n    rest'],
};

describe('A vector', () => {
  const vectors = exportVectors();
  let files: readonly string[] = [];
  beforeAll(() => {
    const folder = mkdtempSync(join(tmpdir(), 'store-orders-'));
    files = vectors.map((vector, index) => {
      const file = join(folder, `${index}.ndjson`);
      writeFileSync(file, vector.export);
      return file;
    });
    return () => rmSync(folder, { recursive: true });
  });

  testMistakes<OfThePage>('verify-export.mjs', MISTAKES, (page) =>
    vectors.some((vector, index) => {
      return byThePage(page, files[index] as string, vector) !== vector.events;
    }),
  );
});

test('All verifiers agree on any lines that the log has signed', async () => {
  const page = await verifierOfThePage();
  const genuine = exportVectors().filter(({ events = 0 }) => events > 0);
  const lines = genuine.map((vector) => vector.export.split('\n').slice(1, -2));
  const piece = fc.oneof(
    fc.constantFrom(
      '',
      ' ',
      '"',
      '\\',
      '\\ud83d',
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '0',
      '1',
      '-',
      '1e0',
    ),
    fc.constantFrom('null', 'true', '"2"', 'OrderShipped', '\ufeff', '\u2028', '\u0000', '\r', '9'),
    anyText({ maxLength: 3 }),
  );
  const edit = fc.tuple(fc.nat(400), fc.nat(4), piece);
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...lines),
      fc.array(fc.tuple(fc.nat(), edit), { maxLength: 2 }),
      async (events, edits) => {
        const edited = [...events];
        for (const [which, [at, cut, put]] of edits) {
          const index = which % events.length;
          const text = edited[index] as string;
          const from = at % (text.length + 1);
          edited[index] = text.slice(0, from) + put + text.slice(from + cut);
        }
        const text = sealedLines(edited).map((line) => `${line}\n`);
        const given = { export: text.join(''), checkpoints: [] };
        const file = fileOf(given.export);
        const verdict = byThePage(page, file, given);
        expect(await byTheCommandLine(file, given)).toBe(verdict);
        expect(await byTheConsole(given)).toBe(verdict);
      },
    ),
    { numRuns: isNightly ? 5_000 : 60 },
  );
});
