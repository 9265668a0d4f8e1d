/** The encryption of connections, by the rules of libpq. */

import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type ConnectionOptions, getCACertificates } from 'node:tls';
import { UserError } from '../../../app/lifecycle/user-error.ts';
import { readBounded } from '../../process/small-file.ts';
import type { Address, SslMode, TlsFile } from '../../settings/postgres-address.ts';

/** The encryption of a connection; `false`: none. */
export type Encryption = ConnectionOptions | false;

/** Longer than any bundle of certificates. */
const MAX_BYTES = 1 << 24;

/** libpq's default files, in `.postgresql` of the user's home directory. */
const DEFAULTS: Readonly<Record<TlsFile, string>> = {
  sslrootcert: 'root.crt',
  sslcert: 'postgresql.crt',
  sslkey: 'postgresql.key',
};

/**
 * Returns the encryptions that an address allows, in libpq's order. As in libpq, a certificate is
 * checked if there is a root certificate, which `verify-ca` and `verify-full` require; only
 * `verify-full` compares the host's name. Throws {@link UserError} if a file is missing.
 */
export function encryptionsOf({ sslmode, files, sslpassword }: Address): readonly Encryption[] {
  if (sslmode === 'disable') return [false];
  const ca = rootsOf(sslmode, files.sslrootcert);
  const cert = contentOf('sslcert', files.sslcert);
  const key = cert === undefined ? undefined : privateKey(files.sslkey);
  const encrypted: ConnectionOptions = {
    rejectUnauthorized: ca !== undefined,
    ...(ca !== undefined && { ca }),
    ...(cert !== undefined && { cert, key }),
    ...(sslpassword !== undefined && { passphrase: sslpassword }),
    ...(sslmode !== 'verify-full' && { checkServerIdentity: () => undefined }),
  };
  if (sslmode === 'allow') return [false, encrypted];
  return sslmode === 'prefer' ? [encrypted, false] : [encrypted];
}

function rootsOf(mode: SslMode, given: string | undefined): string | string[] | undefined {
  if (given === 'system') return getCACertificates('system');
  const roots = contentOf('sslrootcert', given);
  if (roots === undefined && (mode === 'verify-ca' || mode === 'verify-full')) {
    throw new UserError(
      `sslmode=${mode} needs a root certificate: name its file with sslrootcert, put it in ` +
        `${defaultFor('sslrootcert')}, or trust the system's with sslrootcert=system.`,
    );
  }
  return roots;
}

function privateKey(given: string | undefined): string {
  const file = given ?? defaultFor('sslkey');
  const key = contentOf('sslkey', file);
  const { mode, uid } = statSync(file);
  // libpq's rule: readable by its owner only, or owned by root and readable by its group.
  if ((mode & 0o077) === 0 || (uid === 0 && (mode & 0o037) === 0)) return key ?? '';
  throw new UserError(`The private key ${file} can be read by others: chmod 600 it.`);
}

/** Reads a file. Returns undefined if it is a default one that does not exist. */
function contentOf(name: TlsFile, given: string | undefined): string | undefined {
  try {
    return readBounded(given ?? defaultFor(name), MAX_BYTES).toString();
  } catch (error) {
    if (given === undefined) return undefined;
    throw new UserError(`The file of ${name} cannot be read: ${(error as Error).message}.`, {
      cause: error,
    });
  }
}

function defaultFor(name: TlsFile): string {
  return join(homedir(), '.postgresql', DEFAULTS[name]);
}
