/**
 * The services that this user has logged in to: a name, an address and an API key each, in a file that
 * only the user can read.
 */

import { statSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { UserError } from '../../app/lifecycle/user-error.ts';
import { makeFolder } from '../../infra/process/make-folder.ts';
import { jsonIn, readPlainText } from '../../infra/process/small-file.ts';
import type { Composition, Environment } from './command-line.ts';
import { unwritable, whileLocked, writeWhole } from './new-file.ts';

/** A service, and the API key that it is called with. */
export interface Profile {
  readonly url: string;
  readonly key: string;
}

/** The profile of a login that names none. */
export const DEFAULT_PROFILE = 'default';

/** The permission bits of everybody but the owner. */
const OTHERS = 0o077;

/** The longest wait for another login or logout, which changes the file. */
const LOCK_WAIT_MS = 5_000;

/** The file of the profiles. */
export class Profiles {
  readonly file: string;

  constructor({ XDG_CONFIG_HOME, HOME }: Environment) {
    // The XDG specification has relative paths ignored.
    const given = XDG_CONFIG_HOME !== undefined && isAbsolute(XDG_CONFIG_HOME);
    const folder = given ? XDG_CONFIG_HOME : join(HOME || homedir(), '.config');
    this.file = join(folder, 'store-orders', 'profiles.json');
  }

  /** Returns the profiles by name. Throws {@link UserError} for a file that others can read. */
  read(): Readonly<Record<string, Profile>> {
    const stats = statSync(this.file, { throwIfNoEntry: false });
    if (stats === undefined) return {};
    // A folder has no keys in it; and a pipe has no end until somebody writes it.
    if (!stats.isFile()) throw new UserError(`${this.file} cannot be read: it is not a file`);
    if ((stats.mode & OTHERS) !== 0) {
      throw new UserError(
        `${this.file} has API keys in it, and others than its owner can read it: chmod 600 it.`,
      );
    }
    try {
      return profilesIn(readPlainText(this.file));
    } catch (error) {
      throw new UserError(`${this.file} cannot be read: ${(error as Error).message}`);
    }
  }

  find(name: string): Profile | undefined {
    const profiles = this.read();
    return Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  }

  async set(name: string, profile: Profile, lock: Composition['lock']): Promise<void> {
    await this.#change(lock, (profiles) => ({ ...profiles, [name]: profile }));
  }

  async remove(name: string, lock: Composition['lock']): Promise<void> {
    await this.#change(lock, ({ [name]: _, ...rest }) => rest);
  }

  /** Replaces the file as a whole, so that it is complete at every moment. */
  async #change(
    lock: Composition['lock'],
    changed: (profiles: Readonly<Record<string, Profile>>) => Readonly<Record<string, Profile>>,
  ): Promise<void> {
    try {
      makeFolder(dirname(this.file));
    } catch (error) {
      throw unwritable(this.file, error);
    }
    const taken = `Another login or logout is changing ${this.file}: try again.`;
    const write = () => {
      const text = `${JSON.stringify(changed(this.read()), null, 2)}\n`;
      return writeWhole(this.file, [text], { force: true });
    };
    await whileLocked(this.file, lock, taken, write, LOCK_WAIT_MS);
  }
}

function profilesIn(text: string): Readonly<Record<string, Profile>> {
  const value = jsonIn(text);
  if (typeof value !== 'object' || value === null) throw new Error('it has no profiles');
  for (const [name, profile] of Object.entries(value)) {
    if (typeof profile?.url !== 'string' || typeof profile.key !== 'string') {
      throw new Error(`the profile ${name} has no url or no key`);
    }
  }
  return value as Readonly<Record<string, Profile>>;
}
