import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { Cosigner } from '../../../../src/app/audit/witness/cosigner.ts';
import { UserError } from '../../../../src/app/lifecycle/user-error.ts';
import {
  CosignedFile,
  cosignedFileOf,
  readLogPolicy,
} from '../../../../src/infra/process/witness-files.ts';
import { temporaryFolder } from '../../../support/folder.ts';

const KEY = Cosigner.generate('witness.example/w').verifierKey;

function policyOf(text: string | Buffer): string {
  const file = join(temporaryFolder(), 'witnesses');
  writeFileSync(file, text);
  return file;
}

describe("The policy of a log's witnesses", () => {
  it('has an address for each', () => {
    const file = policyOf(`witness W ${KEY} https://witness.example:8443/w/\nquorum W\n`);
    const { witnesses, quorum } = readLogPolicy(file);
    expect(quorum).toBe('W');
    expect(witnesses).toMatchObject([
      { name: 'W', url: 'https://witness.example:8443/w/', key: { vkey: KEY } },
    ]);
  });

  test.each([
    ['quorum W', 'is no policy of witnesses: line 1 of the policy: no line before it defines W'],
    ['quorum none', 'names no witness'],
    [`witness W ${KEY}\nquorum W`, 'the witness W has no address in'],
    [`witness W ${KEY} w.example\nquorum W`, 'is not one of http or https'],
    [`witness W ${KEY} ftp://w.example\nquorum W`, 'is not one of http or https'],
    [`witness W ${KEY} https://me:correct-horse@w.example\nquorum W`, 'has a user or a password'],
    [`witness W ${KEY} https://me@w.example\nquorum W`, 'has a user or a password'],
    [`witness W ${KEY} https://:correct-horse@w.example\nquorum W`, 'has a user or a password'],
    [`witness W ${KEY} https://w.example?horse\nquorum W`, 'has a query or a fragment'],
    [`witness W ${KEY} https://w.example/#horse\nquorum W`, 'has a query or a fragment'],
    [Buffer.of(0x23, 0xff), 'cannot be read: it is not UTF-8'],
  ])('is refused in words that name it: %j', (text, problem) => {
    const file = policyOf(text);
    let message = '';
    try {
      readLogPolicy(file);
    } catch (error) {
      expect(error).toBeInstanceOf(UserError);
      message = (error as Error).message;
    }
    expect(message).toMatch(/^WITNESS_POLICY: .*\.$/);
    expect(message).toContain(problem);
    expect(message).toContain(file);
    expect(message).not.toContain('horse');
  });

  it('is refused where it is missing', () => {
    expect(() => readLogPolicy('/nowhere/witnesses')).toThrow(
      /^WITNESS_POLICY: \/nowhere\/witnesses cannot be read: ENOENT/,
    );
  });
});

describe('The record of what witnesses have cosigned', () => {
  const record = { origin: 'log.example', sizes: { [KEY]: 7 }, checkpoint: 'note' };

  it('is a file beside the store, and one of its own for each store in PostgreSQL', () => {
    expect(cosignedFileOf('/data/store.db', '00')).toBe('/data/store.db-cosigned');
    expect(cosignedFileOf(undefined, '00')).toBe('./data/postgres-00-cosigned');
  });

  it('is loaded as it was saved, is replaced as a whole, and is private', () => {
    const file = join(temporaryFolder(), 'store.db-cosigned');
    const records = new CosignedFile(file);
    expect(records.load()).toBeUndefined();
    records.save({ ...record, checkpoint: undefined });
    expect(records.load()).toEqual({ ...record, checkpoint: undefined });
    records.save(record);
    expect(records.load()).toEqual(record);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(file, '..'))).toEqual(['store.db-cosigned']);
  });

  test.each([
    ['no JSON', 'x'],
    ['another form', '{"format":"store-orders/cosigned/v2","origin":"o","sizes":{}}'],
    ['a wrong size', '{"format":"store-orders/cosigned/v1","origin":"o","sizes":{"k":-1}}'],
    ['a cut', JSON.stringify({ format: 'store-orders/cosigned/v1', ...record }).slice(0, -1)],
  ])('counts as none with %s', (_title, text) => {
    const file = join(temporaryFolder(), 'store.db-cosigned');
    writeFileSync(file, text);
    expect(new CosignedFile(file).load()).toBeUndefined();
  });

  it('makes its folder, where it can', () => {
    const folder = temporaryFolder();
    const records = new CosignedFile(join(folder, 'data', 'postgres-00-cosigned'));
    records.save(record);
    expect(records.load()).toEqual(record);
    writeFileSync(join(folder, 'file'), '');
    const impossible = new CosignedFile(join(folder, 'file', 'postgres-00-cosigned'));
    expect(() => impossible.save(record)).toThrow(/EEXIST|ENOTDIR/);
  });

  it('has nothing secret, and a form that people can read', () => {
    const file = join(temporaryFolder(), 'store.db-cosigned');
    new CosignedFile(file).save(record);
    expect(readFileSync(file, 'utf8')).toBe(
      `{"format":"store-orders/cosigned/v1","origin":"log.example","sizes":{"${KEY}":7},"checkpoint":"note"}\n`,
    );
  });
});
