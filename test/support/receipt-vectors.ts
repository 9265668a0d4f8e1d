import { NoteSigner } from '../../src/app/audit/proving/checkpoint.ts';
import { receiptOf } from '../../src/app/audit/proving/receipt.ts';
import { signedForgeries, unusualReceipts } from './unusual-receipts.ts';
import { logOf, records, signer, type Vector } from './vector-log.ts';

const stranger = new NoteSigner(signer.name, Buffer.alloc(32, 8));
const renamed = new NoteSigner('store-orders/fedcba9876543210', Buffer.alloc(32, 7));

/** Returns the vectors published in docs/receipt-vectors.json, which are deterministic. */
export async function receiptVectors(): Promise<readonly Vector[]> {
  const key = signer.verifierKey;
  const valid: Vector[] = [];
  for (const size of [5, 1, 2, 3, 4]) {
    for (let position = size; position >= 1; position -= 1) {
      const what = `position ${position} of ${size} events`;
      const receipt = await logOf(size).receipt(position);
      valid.push({ what, key, receipt, record: records[position - 1] as string });
    }
  }
  return [
    ...valid,
    ...(await otherForms()),
    ...(await unusualReceipts()),
    ...(await forged()),
    ...(await signedForgeries()),
  ];
}

/** Returns genuine receipts that a verifier might refuse by mistake. */
async function otherForms(): Promise<Vector[]> {
  const log = logOf(5);
  const record = records[3] as string;
  const receipt = await log.receipt(4);
  const cosigned =
    log.note + (log.note.split('\n\n')[1] ?? '').replace(/.*/, cosignature(log.root));
  const vector = (what: string, text: string, key = signer.verifierKey) => {
    return { what, key, receipt: text, record };
  };
  return [
    vector(
      'a log that was cut, and went on in a later epoch',
      await log.receipt(4, signer.signCheckpoint(5, log.root, `1.${'0f'.repeat(16)}`)),
    ),
    vector('white space of JSON around it', ` \t\r\n${receipt}\r\n`),
    vector('the signature of another key behind its own', await log.receipt(4, cosigned)),
  ];
}

/** Returns a signature line of another key. */
function cosignature(root: Uint8Array): string {
  const witness = new NoteSigner('witness.example', Buffer.alloc(32, 9));
  return (
    witness
      .sign(`${signer.name}\n5\n${Buffer.from(root).toString('base64')}\n`)
      .split('\n\n')[1]
      ?.trimEnd() ?? ''
  );
}

async function forged(): Promise<Vector[]> {
  const log = logOf(5);
  const [key, record] = [signer.verifierKey, records[3] as string];
  const genuine = await log.receipt(4);
  const parts = JSON.parse(genuine) as { record: string; proof: string[]; checkpoint: string };
  const proof = await log.proofOf(4);
  const [other, first] = [records[1] as string, proof[0] as Uint8Array];
  const sign = (text: string) => signer.sign(text);
  const head = (size: number | string, root = log.root) =>
    `${signer.name}\n${size}\n${Buffer.from(root).toString('base64')}\n`;
  const withNote = (note: string) => receiptOf(record, proof, note);
  const withRecord = (text: string) => receiptOf(text, proof, log.note);
  // A log with a record that is not canonical, signed nevertheless.
  const signedRecord = (text: string) => logOf(1, [text]).receipt(1);
  const noncanonical = (from: string | RegExp, to: string) =>
    signedRecord((records[0] as string).replace(from, to));
  const vectors: readonly (readonly [what: string, receipt: string, key?: string])[] = [
    ['the event of another position', withRecord(other)],
    ['another order', withRecord(record.replace('"8"', '"7"'))],
    ['another time', withRecord(record.replace('03-04', '03-05'))],
    ['another author', withRecord(record.replace('Hs6', 'Hs7'))],
    ['another type', withRecord(record.replace('OrderCancelled', 'OrderShipped'))],
    ['another position in the record', withRecord(record.replace('"position":4', '"position":2'))],
    ['position 0', withRecord(record.replace('"position":4', '"position":0'))],
    ['a position beyond the tree', withRecord(record.replace('"position":4', '"position":6'))],
    ['a hash of the proof that is missing', receiptOf(record, proof.slice(1), log.note)],
    ['a hash too many', receiptOf(record, [...proof, first], log.note)],
    ['no proof', receiptOf(record, [], log.note)],
    ['hashes in another order', receiptOf(record, proof.toReversed(), log.note)],
    ['a hash that is too short', receiptOf(record, proof.with(0, first.subarray(1)), log.note)],
    ['a node in the place of the record', receiptOf('', proof.slice(1), log.note)],
    ['a checkpoint of fewer events', withNote(logOf(4).note)],
    ['another size in the checkpoint', withNote(log.note.replace('\n5\n', '\n6\n'))],
    ['the size of a log with a tree of the same shape', withNote(sign(head(4)))],
    ['a size with a zero before it', withNote(sign(head('05')))],
    ['a size in another spelling', withNote(sign(head('5.0')))],
    ['another root', withNote(sign(head(5, Buffer.alloc(32, 1))))],
    ['an epoch without its hash', withNote(sign(head(5).replace('\n', '+1\n')))],
    [
      'an epoch that no log has',
      withNote(signer.signCheckpoint(5, log.root, `0.${'0f'.repeat(16)}`)),
    ],
    ['two epochs', withNote(signer.signCheckpoint(5, log.root, `1.${'0f'.repeat(16)}+1`))],
    ['a plus sign and no epoch', withNote(sign(head(5).replace('\n', '+\n')))],
    ['a line too many in the checkpoint', withNote(sign(`${head(5)}more\n`))],
    ['a checkpoint of another log', withNote(sign(head(5).replace(signer.name, renamed.name)))],
    ['the signature of another key', withNote(stranger.signCheckpoint(5, log.root))],
    ['the same key under another name', withNote(renamed.signCheckpoint(5, log.root))],
    ['the signature of another text', withNote(`${head(5)}\n${logOf(4).note.split('\n\n')[1]}`)],
    ['no signature', withNote(`${head(5)}\n`)],
    ['a signature that is broken behind one that is not', withNote(log.note + broken(log.note))],
    ['line ends of another system in the note', withNote(log.note.replaceAll('\n', '\r\n'))],
    ['another public key', genuine, stranger.verifierKey],
    ['a public key whose id is not its own', genuine, key.replace(/\+\w{8}\+/, '+00000000+')],
    ['another format', genuine.replace('receipt/v1', 'receipt/v2')],
    ['a member too many', genuine.replace(/\}$/, ',"more":1}')],
    ['a member twice', genuine.replace('{', `{"record":${JSON.stringify(other)},`)],
    [
      'members in another order',
      JSON.stringify(Object.fromEntries(Object.entries(parts).toReversed())),
    ],
    ['a blank in it', genuine.replace(':', ': ')],
    ['a character in another spelling', genuine.replace('OrderCancelled', '\\u004frderCancelled')],
    ['a byte order mark before it', `\ufeff${genuine}`],
    ['another receipt behind it', `${genuine}\n${genuine}`],
    [
      'base64 with loose bits',
      genuine.replace(/(.)="/, (_, last) => `${String.fromCharCode(last.charCodeAt(0) + 1)}="`),
    ],
    [
      'base64 for URLs',
      JSON.stringify({
        ...parts,
        proof: parts.proof.map((hash) => hash.replaceAll('+', '-').replaceAll('/', '_')),
      }),
    ],
    [
      'base64 without its end',
      JSON.stringify({ ...parts, proof: parts.proof.map((hash) => hash.slice(0, -1)) }),
    ],
    [
      'a signed record with members in another order',
      await noncanonical(/"orderId":"7","petId":"1016"/, '"petId":"1016","orderId":"7"'),
    ],
    [
      'a signed record with a member twice',
      await noncanonical('"orderId":"7"', '"orderId":"7","orderId":"8"'),
    ],
    [
      'a signed record with a joined name',
      await noncanonical(
        '{"data":{"orderId":"7","petId":"1016","quantity":1},"metadata":',
        '{"data,metadata":',
      ),
    ],
    [
      'a signed record with a number in another spelling',
      await noncanonical('"quantity":1', '"quantity":1e0'),
    ],
    [
      'a signed record with a number that is minus zero',
      await noncanonical('"quantity":1', '"quantity":-0'),
    ],
    ['a signed record with half of a surrogate pair', await noncanonical('command-1', '\\ud83d')],
    [
      'a signed record with an escape that is not needed',
      await noncanonical('command-1', '\\u0063ommand-1'),
    ],
    ['nothing', ''],
    ['a list', `[${genuine}]`],
    ['null', 'null'],
  ];
  return vectors.map(([what, receipt, of = key]) => ({ what, key: of, receipt }));
}

function broken(note: string): string {
  const line = note.split('\n\n')[1] as string;
  return line.replace(/(.{4})==?$|(.{4})$/m, (end) =>
    end.startsWith('A') ? `B${end.slice(1)}` : `A${end.slice(1)}`,
  );
}
