import { describe, expect, it } from 'vitest';
import { parseAddress, shownAddress } from '../../../../src/infra/settings/postgres-address.ts';

describe('an address', () => {
  it('is parsed as by libpq', () => {
    expect(
      parseAddress(
        'postgresql://sh%40p:s%2Fcr%3At@db.example.com:5433/or%20ders' +
          '?sslmode=verify-full&sslrootcert=/etc/ca.pem&connect_timeout=10&options=-c%20jit%3Doff',
      ),
    ).toStrictEqual({
      hosts: [{ name: 'db.example.com', port: 5433 }],
      user: 'sh@p',
      password: 's/cr:t',
      database: 'or ders',
      sslmode: 'verify-full',
      files: { sslrootcert: '/etc/ca.pem' },
      sslpassword: undefined,
      connectTimeoutMs: 10_000,
      options: '-c jit=off',
    });
  });

  it.each([
    ['h1,h2', ['h1:5432', 'h2:5432']],
    ['h1:1,h2:2', ['h1:1', 'h2:2']],
    ['h1:1,h2:65535', ['h1:1', 'h2:65535']],
    ['h1,h2:6000', ['h1:5432', 'h2:6000']],
    ['[::1]:5433,[2001:db8::1]', ['::1:5433', '2001:db8::1:5432']],
    ['%2Frun%2Fpostgresql', ['/run/postgresql:5432']],
  ])('with the hosts %s', (hosts, expected) => {
    const address = parseAddress(`postgres://shop@${hosts}/orders?target_session_attrs=read-write`);
    expect(address.hosts.map(({ name, port }) => `${name}:${port}`)).toStrictEqual(expected);
  });

  it.each([
    ['?host=h1,h2&port=6000', ['h1:6000', 'h2:6000']],
    ['?host=h1,h2&port=1,2', ['h1:1', 'h2:2']],
    ['?host=/run/postgresql', ['/run/postgresql:5432']],
  ])('with hosts in its parameters: %s', (parameters, expected) => {
    const address = parseAddress(`postgres:///orders${parameters}`);
    expect(address.hosts.map(({ name, port }) => `${name}:${port}`)).toStrictEqual(expected);
  });

  it('has only the files and the password that are named', () => {
    const { files, sslpassword } = parseAddress(
      'postgres://h/orders?sslcert=/c.pem&sslkey=/k.pem&sslrootcert=&sslpassword=of%20the%20key',
    );
    expect(files).toStrictEqual({ sslcert: '/c.pem', sslkey: '/k.pem' });
    expect(sslpassword).toBe('of the key');
    expect(parseAddress('postgres://h/orders?sslpassword=').sslpassword).toBeUndefined();
  });

  it.each([
    [undefined, undefined],
    ['1', 2_000],
    ['2', 2_000],
    ['300', 300_000],
  ])('with the connect_timeout %s, as libpq has it from 2 s', (text, timeoutMs) => {
    const parameter = text === undefined ? '' : `?connect_timeout=${text}`;
    expect(parseAddress(`postgres://h/orders${parameter}`).connectTimeoutMs).toBe(timeoutMs);
  });

  it.each([
    ['', 'prefer'],
    ['?ssl=true', 'require'],
    ['?sslrootcert=system', 'verify-full'],
    ['?sslmode=allow', 'allow'],
  ])('with the sslmode that libpq has for %s', (parameters, mode) => {
    expect(parseAddress(`postgres://h/orders${parameters}`).sslmode).toBe(mode);
  });

  it.each([
    ['postgres://shop:secret@h/orders', 'postgres://h/orders'],
    [
      'postgres://shop:secret@h1:5433,[::1]/orders?sslmode=disable',
      'postgres://h1:5433,[::1]/orders',
    ],
    [
      'postgres://shop@%2Frun%2Fpostgresql:5433/or%20ders',
      'postgres://%2Frun%2Fpostgresql/or%20ders',
    ],
  ])('is named without a password: %s', (url, name) => {
    expect(shownAddress(url)).toBe(name);
  });
});

describe('an invalid address is refused with a message that does not quote a password:', () => {
  it.each(['@', '/', '?', '#', '@/?#', '%'])('a password with %s in it as it is', (character) => {
    for (const password of [`sec${character}ret`, `${character}secret`, `secret${character}`]) {
      for (const rest of ['@h/orders', '@h:5432/orders', '@h,h2/orders?sslmode=require']) {
        const message = refusal(`postgres://shop:${password}${rest}`);
        expect(message).toMatch(/%25/);
        expect(message).not.toMatch(/sec|ret/);
      }
    }
  });

  it.each([
    ['postgres://shop@h', /must name a host and a database/],
    ['postgres://shop@h/', /must name a host and a database/],
    ['postgres:///orders', /must name a host and a database/],
    ['postgres://h1,,h2/orders', /must name a host and a database/],
    ['postgres://h:0/orders', /must have ports from 1 to 65535/],
    ['postgres://h:65536/orders', /must have ports/],
    ['postgres://shop:secret:h/orders', /must have ports/],
    ['postgres:///orders?host=a,b,c&port=1,2', /must have one port for all hosts/],
    ['postgres://h/orders?sslmode=no-verify', /must have sslmode as one of disable, allow/],
    ['postgres://h/orders?sslmode=require&sslrootcert=system', /must have sslmode=verify-full/],
    ['postgres://h/orders?sslmod=require', /must not set sslmod, which is not supported/],
    ['postgres://h/orders?uselibpqcompat=true', /must not set uselibpqcompat/],
    ['postgres://h/orders?schema=public', /must not set schema/],
    ['postgres://h/orders?application_name=shop', /must not set application_name/],
    ['postgres://h/orders?target_session_attrs=standby', /only the primary is used/],
    ['postgres://h/orders?connect_timeout=soon', /must have connect_timeout as a number/],
    ['postgres://h/orders?connect_timeout=0', /must have connect_timeout as a number/],
    ['postgres://h/orders?connect_timeout=301', /must have connect_timeout as a number/],
    ['postgres://h/orders?sslmode', /must have parameters as NAME=VALUE/],
  ])('%s', (url, expected) => {
    expect(refusal(url)).toMatch(expected);
    expect(refusal(url)).not.toContain('secret');
  });
});

function refusal(url: string): string {
  try {
    parseAddress(url);
  } catch (error) {
    return (error as Error).message;
  }
  throw new Error(`taken for an address: ${url}`);
}
