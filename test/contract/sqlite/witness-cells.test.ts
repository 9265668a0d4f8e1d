import { hash } from 'node:crypto';
import { symlinkSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { DamagedStore } from '../../../src/app/ports/store.ts';
import { temporaryFile, temporaryFolder } from '../../support/folder.ts';
import { tamper } from '../../support/tampering.ts';
import { witnessOn } from '../../support/witness-on.ts';
import { leavesOf, WitnessedLog } from '../../support/witnessed-log.ts';

const log = new WitnessedLog(leavesOf(40));
const ORIGIN_HASH = hash('sha256', 'example.com/log');

/** Returns the file of a witness that has cosigned a log of 5 events. */
function given(): string {
  const file = temporaryFile();
  const witness = witnessOn(file, log, 'new');
  expect(witness.add(log.request(0, 5)).kind).toBe('cosigned');
  witness.close();
  return file;
}

describe('each cell in the memory of a witness', () => {
  it.each([
    'size = 6',
    'size = 4',
    'size = 0',
    'size = -1',
    'size = 1099511627776',
    'size = 9223372036854775807',
    `origin = 'other'`,
    `origin = ''`,
    `note = ''`,
    `note = note || 'x'`,
    `note = substr(note, 2)`,
  ])('is found if it was changed, and nothing is cosigned: %s', (set) => {
    const file = given();
    tamper(file, (db) => void db.exec(`UPDATE cosigned SET ${set}`));
    const witness = witnessOn(file, log, 'used');
    for (const size of [5, 7]) {
      expect(() => witness.add(log.request(5, size))).toThrow(DamagedStore);
    }
    expect(() => witness.add(log.request(0, 7))).toThrow(DamagedStore);
    expect(() => witness.checkpointOf(ORIGIN_HASH)).toThrow(DamagedStore);
    witness.close();
  });

  it('is found if it was changed: the public key', () => {
    const file = given();
    tamper(file, (db) => void db.exec(`UPDATE witness SET verifier_key = 'other'`));
    expect(() => witnessOn(file, log, 'used')).toThrow('is the memory of another witness: other.');
  });
});

describe('The file of a witness that cannot be used', () => {
  const OUT = 'make another one, with a new key and a new file';

  it('is named with the option it comes from: a folder, a link to nothing', () => {
    const folder = temporaryFolder();
    expect(() => witnessOn(folder, log, 'new')).toThrow(
      `${folder} cannot be opened: it is a folder. Check --db.`,
    );
    const link = join(folder, 'link.db');
    symlinkSync('nowhere', link);
    expect(() => witnessOn(link, log, 'new')).toThrow('which is not there. Check --db.');
  });

  it('takes another witness, and no older copy, if it was cut', () => {
    const file = given();
    truncateSync(file, 6000);
    const found = () => witnessOn(file, log, 'used');
    expect(found).toThrow(OUT);
    expect(found).not.toThrow('restore a backup');
  });

  it('is damaged, and not that of another witness, if its key is no text', () => {
    const file = given();
    tamper(
      file,
      (db) =>
        void db.unsafeMode().exec(`PRAGMA writable_schema = ON;
          UPDATE sqlite_schema SET sql = replace(sql, 'TEXT NOT NULL', 'ANY') WHERE name = 'witness';
          PRAGMA writable_schema = RESET; UPDATE witness SET verifier_key = NULL;`),
    );
    const found = () => witnessOn(file, log, 'used');
    expect(found).toThrow('is damaged: its record of the key is no text.');
    expect(found).toThrow(OUT);
  });
});
