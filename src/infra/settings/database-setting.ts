/** The setting of the store's place. */
import { basename } from 'node:path';
import { z } from 'zod';
import { NoAddress, parseAddress } from './postgres-address.ts';

/** The place of the store. */
export type DatabaseConfig =
  | { readonly engine: 'sqlite'; readonly file: string }
  /** The address has a password in it, where one is needed. */
  | { readonly engine: 'postgres'; readonly url: string };

/**
 * The longest name of a store's file, in bytes. The names of the files beside it begin with it and are
 * up to 53 bytes longer; file systems take 255.
 */
const MAX_NAME_BYTES = 200;

/** The schema of DATABASE_URL. No message repeats what was given: it may have a password in it. */
export const database = z
  .string()
  .regex(/^(?:sqlite:.|postgres(?:ql)?:\/\/)/, {
    error:
      'must be sqlite:FILE, for example sqlite:./data/store-orders.db, or postgres://USER@HOST/DATABASE',
    abort: true,
  })
  .superRefine((url, context) => {
    const file = fileIn(url);
    const flaw = file === undefined ? flawInAddress(url) : (flawInForm(url) ?? flawInFile(file));
    if (flaw !== undefined) context.addIssue(flaw);
  })
  .transform((url): DatabaseConfig => {
    const file = fileIn(url);
    return file === undefined ? { engine: 'postgres', url } : { engine: 'sqlite', file };
  });

/** Returns the file of a store in SQLite; undefined for an address of PostgreSQL. */
function fileIn(url: string): string | undefined {
  if (!url.startsWith('sqlite:')) return undefined;
  return url.slice('sqlite:'.length).replace(/^\/\/(?=\/)/, '');
}

/** Returns the flaw of the address of a file, before the name of the file is looked at. */
function flawInForm(url: string): string | undefined {
  if (url.includes(':memory:')) return 'must name a file: orders have to be durable';
  if (/^sqlite:(?:\/\/(?!\/)|file:|\s)|\s$/.test(url)) {
    return 'must be sqlite:FILE, or sqlite:///FILE with an absolute path';
  }
  return undefined;
}

function flawInFile(file: string): string | undefined {
  // No shell has replaced it: there would be a folder with this name.
  if (/^~[^/]*\//.test(file)) return 'must not begin with ~: write the path of the home folder';
  if (/(?:^|\/)\.{0,2}$/.test(file)) return 'must name a file, not a folder';
  if (Buffer.byteLength(basename(file)) <= MAX_NAME_BYTES) return undefined;
  return `must name a file with a name of ${MAX_NAME_BYTES} bytes at most: those of the files beside it are longer`;
}

/** Returns the flaw of an address of PostgreSQL, in words without any part of a password. */
function flawInAddress(url: string): string | undefined {
  if (/\s$/.test(url)) return 'must have no blank at its end';
  try {
    parseAddress(url);
    return undefined;
  } catch (error) {
    if (error instanceof NoAddress) return error.message;
    throw error;
  }
}
