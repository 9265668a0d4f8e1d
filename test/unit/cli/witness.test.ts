import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { NoteSigner } from '../../../src/app/audit/proving/checkpoint.ts';
import { Place } from '../../support/command-line.ts';

const LOG = new NoteSigner('example.com/log', Buffer.alloc(32, 1)).verifierKey;
const OTHER = new NoteSigner('example.com/other', Buffer.alloc(32, 2)).verifierKey;
const FILES = ['witness', '--db', 'w1.db', '--key', 'w1.key'];

describe('the command witness', () => {
  it('hands over its options, and prints the public key once it listens', async () => {
    const place = new Place();
    expect(await place.run(...FILES, '--name', 'example.com/w1', '--log', LOG)).toEqual({
      code: 0,
      out: '',
      err:
        'The witness answers at http://127.0.0.1:3001\n' +
        'Its public key, for policies:\nwitness.example/w1+…\n',
    });
    expect(place.witnesses).toMatchObject([
      {
        ...{ databaseFile: 'w1.db', keyFile: 'w1.key', name: 'example.com/w1' },
        ...{ host: '127.0.0.1', port: 3001, perMinute: 120 },
      },
    ]);
  });

  it('has logs of its command line, of files and of a policy, and epochs of them', async () => {
    const place = new Place();
    writeFileSync(place.file('log.vkey'), `${LOG}\n`);
    writeFileSync(place.file('policy'), `log ${OTHER} https://example.com\nquorum none\n`);
    const epoch = `example.com/other+1.${'0f'.repeat(16)}`;
    const logs = ['--log', place.file('log.vkey'), '--logs', place.file('policy')];
    expect(await place.run(...FILES, ...logs, '--origin', epoch)).toMatchObject({ code: 0 });
    expect([...(place.witnesses[0]?.logs.keys() ?? [])]).toEqual([
      'example.com/log',
      'example.com/other',
      epoch,
    ]);
  });

  it.each([
    ['no log', [], 2, 'name a log: --log or --logs'],
    ['a name with a scheme', ['--log', LOG, '--name', 'https://w1.example'], 2, 'without https://'],
    ['a name with a plus sign', ['--log', LOG, '--name', 'w1+'], 2, 'without blanks'],
    ['a long name', ['--log', LOG, '--name', 'é'.repeat(128)], 2, 'of 255 bytes at most'],
    ['an epoch of no log', ['--log', LOG, '--origin', 'w1'], 1, 'w1 is not the name of one of'],
    ['no file', ['--logs', 'absent'], 1, 'absent cannot be read'],
    ['a file that is no policy', ['--logs', 'package.json'], 1, 'line 1 of the policy'],
  ] as const)('is refused with %s', async (_, options, code, message) => {
    const place = new Place();
    const ran = await place.run(...FILES, ...options);
    expect([ran.code, ran.err]).toEqual([code, expect.stringContaining(message)]);
    expect(place.witnesses).toEqual([]);
  });
});
