import { chmodSync, chownSync, copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { Database } from '../../../src/infra/postgres/connection/database.ts';
import { Authority, noCertificates } from '../../support/certificates.ts';
import { Cluster, placeInMemory } from '../../support/postgres/cluster.ts';
import { newFolder } from '../../support/service.ts';

const IS_ENCRYPTED = {
  name: 'is_encrypted',
  text: 'SELECT ssl, coalesce(client_dn, $1) FROM pg_stat_ssl WHERE pid = pg_backend_pid()',
};

/** Connects, and returns whether the connection is encrypted, and whose certificate was shown. */
async function connected(url: string): Promise<readonly [boolean, string]> {
  const db = new Database(url);
  try {
    const [row] = await db.query<[boolean, string]>(IS_ENCRYPTED, ['nobody']);
    return row ?? [false, 'nobody'];
  } finally {
    await db.close();
  }
}

const without = noCertificates();

describe.skipIf(without !== undefined)(
  `a server with a certificate for localhost${without === undefined ? '' : ` (skipped: ${without})`}`,
  () => {
    const folder = newFolder();
    let cluster: Cluster;
    let ca: Authority;
    let other: Authority;
    let client: { certificate: string; key: string };

    beforeAll(async () => {
      // Nothing of whoever runs the tests is to matter.
      vi.stubEnv('HOME', folder);
      ca = new Authority(folder, 'ca');
      other = new Authority(folder, 'other');
      const server = ca.issue('server', 'DNS:localhost');
      client = ca.issue('shop');
      cluster = await Cluster.start(18, {}, placeInMemory());
      for (const [from, to] of [
        [server.certificate, 'server.crt'],
        [server.key, 'server.key'],
        [ca.certificate, 'ca.crt'],
      ] as const) {
        const file = join(cluster.data, to);
        copyFileSync(from, file);
        if (process.getuid?.() === 0) chownSync(file, 65_534, 65_534);
        chmodSync(file, 0o600);
      }
      await cluster.sql('CREATE ROLE shop LOGIN SUPERUSER; CREATE ROLE plain LOGIN SUPERUSER');
      await cluster.sql('CREATE ROLE tls LOGIN SUPERUSER');
      const rules = [
        'hostnossl all plain 127.0.0.1/32 trust',
        'hostssl all tls 127.0.0.1/32 trust',
        'hostssl all shop 127.0.0.1/32 cert',
        'host all postgres 127.0.0.1/32 trust',
      ];
      writeFileSync(join(cluster.data, 'pg_hba.conf'), `${rules.join('\n')}\n`);
      await cluster.sql('ALTER SYSTEM SET ssl = on');
      await cluster.sql(`ALTER SYSTEM SET ssl_ca_file = 'ca.crt'`);
      await cluster.end();
      await cluster.begin();
    });
    afterAll(() => cluster?.[Symbol.asyncDispose]());

    const url = (host: string, parameters: string, user = 'postgres') =>
      `postgres://${user}@${host}:${cluster.port}/postgres?${parameters}`;

    it.each([
      ['sslmode=disable', false],
      ['sslmode=allow', false],
      ['', true],
      ['sslmode=prefer', true],
      ['sslmode=require', true],
    ])('takes %s, and whether it is encrypted: %s', async (parameters, isEncrypted) => {
      expect(await connected(url('127.0.0.1', parameters))).toStrictEqual([isEncrypted, 'nobody']);
    });

    it('that takes a user only one way is reached that way by allow and prefer', async () => {
      expect((await connected(url('127.0.0.1', 'sslmode=allow', 'tls')))[0]).toBe(true);
      expect((await connected(url('127.0.0.1', 'sslmode=prefer', 'plain')))[0]).toBe(false);
      await expect(connected(url('127.0.0.1', 'sslmode=require', 'plain'))).rejects.toThrow(
        /no pg_hba/,
      );
      await expect(connected(url('127.0.0.1', 'sslmode=disable', 'tls'))).rejects.toThrow(
        /no pg_hba/,
      );
    });

    it('is checked by its authority for require with a root certificate, and for verify-ca', async () => {
      for (const mode of ['require', 'verify-ca']) {
        const right = `sslmode=${mode}&sslrootcert=${ca.certificate}`;
        expect((await connected(url('127.0.0.1', right)))[0]).toBe(true);
        const wrong = `sslmode=${mode}&sslrootcert=${other.certificate}`;
        await expect(connected(url('localhost', wrong))).rejects.toThrow(/certificate|issuer/);
      }
    });

    it('is checked by its name as well for verify-full', async () => {
      const verified = `sslmode=verify-full&sslrootcert=${ca.certificate}`;
      expect((await connected(url('localhost', verified)))[0]).toBe(true);
      await expect(connected(url('127.0.0.1', verified))).rejects.toThrow(/IP: 127\.0\.0\.1/);
      const wrong = `sslmode=verify-full&sslrootcert=${other.certificate}`;
      await expect(connected(url('localhost', wrong))).rejects.toThrow(/certificate|issuer/);
      // The system trusts no authority of a test.
      await expect(connected(url('localhost', 'sslrootcert=system'))).rejects.toThrow(
        /certificate|issuer/,
      );
    });

    it('is not reached if a required root certificate is missing', async () => {
      for (const mode of ['verify-ca', 'verify-full']) {
        await expect(connected(url('localhost', `sslmode=${mode}`))).rejects.toThrow(
          `sslmode=${mode} needs a root certificate`,
        );
      }
      const gone = 'sslmode=verify-full&sslrootcert=/nowhere/ca.crt';
      await expect(connected(url('localhost', gone))).rejects.toThrow(
        /The file of sslrootcert cannot be read/,
      );
    });

    it('is shown a certificate of the client, with a key that nobody else can read', async () => {
      const shown = `sslmode=require&sslcert=${client.certificate}&sslkey=${client.key}`;
      chmodSync(client.key, 0o600);
      expect(await connected(url('127.0.0.1', shown, 'shop'))).toStrictEqual([true, '/CN=shop']);
      await expect(connected(url('127.0.0.1', 'sslmode=require', 'shop'))).rejects.toThrow(
        /client certificate/,
      );
      chmodSync(client.key, 0o644);
      await expect(connected(url('127.0.0.1', shown, 'shop'))).rejects.toThrow(
        /can be read by others/,
      );
      expect(readFileSync(client.key, 'utf8')).toContain('PRIVATE KEY');
    });
  },
);

it('a server without TLS is reached by prefer, and by require not', async () => {
  vi.stubEnv('HOME', tmpdir());
  const cluster = await Cluster.start(18, {}, placeInMemory());
  const url = cluster.url('postgres');
  expect((await connected(`${url}?sslmode=prefer`))[0]).toBe(false);
  await expect(connected(`${url}?sslmode=require`)).rejects.toThrow(/does not support SSL/);
  await cluster[Symbol.asyncDispose]();
});
