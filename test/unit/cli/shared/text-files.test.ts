import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { NoteSigner } from '../../../../src/app/audit/proving/checkpoint.ts';
import { Cosigner } from '../../../../src/app/audit/witness/cosigner.ts';
import { readFollowed } from '../../../../src/cli/shared/follower-file.ts';
import { addKey, readPolicyFile } from '../../../../src/cli/shared/options.ts';
import { Profiles } from '../../../../src/cli/shared/profiles.ts';
import { readCheckpoints } from '../../../../src/cli/shared/signed-checkpoints.ts';
import { readKeyFile } from '../../../../src/infra/process/key-file.ts';
import { readLogPolicy } from '../../../../src/infra/process/witness-files.ts';
import { temporaryFolder } from '../../../support/folder.ts';

const signer = new NoteSigner('example.com/log', Buffer.alloc(32, 1));
const witness = new Cosigner('witness.example/w', Buffer.alloc(32, 2)).verifierKey;
const policy = `log ${signer.verifierKey}\nwitness W ${witness} https://w.example\nquorum W\n`;
const kind = { parse: NoteSigner.parse, wayOut: 'Restore it.' };

/** The forms in which editors and copies leave a text. */
const FORMS: readonly (readonly [string, (text: string) => string])[] = [
  ['as it was written', (text) => text],
  ['with a byte order mark', (text) => `\ufeff${text}`],
  ['with the line ends of Windows', (text) => text.replaceAll('\n', '\r\n')],
  ['with both', (text) => `\ufeff${text.replaceAll('\n', '\r\n')}`],
];

describe.each(FORMS)('A file %s', (_, form) => {
  function fileOf(text: string): string {
    const file = join(temporaryFolder(), 'file');
    writeFileSync(file, form(text));
    return file;
  }

  it('has a public key', () => {
    expect(addKey(fileOf(`${signer.verifierKey}\n`), [])).toEqual([signer.verifierKey]);
  });

  it('has a private key', () => {
    const key = readKeyFile(fileOf(`${signer.privateKey()}\n`), kind);
    expect(key?.verifierKey).toBe(signer.verifierKey);
  });

  it('has a policy, for those who verify and for the log itself', () => {
    const file = fileOf(policy);
    for (const read of [readPolicyFile(file), readLogPolicy(file)]) {
      expect(read.witnesses.map(({ name, key, url }) => [name, key.vkey, url])).toEqual([
        ['W', witness, 'https://w.example'],
      ]);
    }
  });

  it('has the place of a follower', () => {
    const followed = { after: '4', parked: [] };
    expect(readFollowed(fileOf(`${JSON.stringify(followed, null, 2)}\n`))).toEqual(followed);
  });

  it('has profiles', () => {
    const folder = temporaryFolder();
    const profiles = new Profiles({ XDG_CONFIG_HOME: folder });
    const profile = { url: 'http://127.0.0.1', key: 'key' };
    mkdirSync(dirname(profiles.file));
    const text = form(`${JSON.stringify({ default: profile }, null, 2)}\n`);
    writeFileSync(profiles.file, text, { mode: 0o600 });
    expect(profiles.find('default')).toEqual(profile);
  });

  it('has a checkpoint', () => {
    const file = fileOf(signer.signCheckpoint(3, Buffer.alloc(32, 7)));
    const { heads, refused } = readCheckpoints([file], [signer.verifierKey], undefined);
    expect(refused).toEqual([]);
    expect(heads).toMatchObject([{ origin: 'example.com/log', size: 3 }]);
  });
});
