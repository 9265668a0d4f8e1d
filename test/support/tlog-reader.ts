/** The reader of logs that is made of Go's own packages. Where these are not installed, tests skip it. */
import { execFile, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { newFolder } from './service.ts';

/** The place of Debian's golang-golang-x-mod-dev. */
const PACKAGES = '/usr/share/gocode';

export const HAS_TLOG_READER =
  existsSync(join(PACKAGES, 'src/golang.org/x/mod/sumdb/tlog')) &&
  spawnSync('go', ['version']).status === 0;

/** The reason why tests are skipped without it. */
export const WITHOUT_TLOG_READER =
  "SKIPPED: the tiles are not read by Go's own packages: apt-get install golang-go golang-golang-x-mod-dev";

/** Compiles the reader, and returns what runs it: see test/support/tlog-reader/main.go. */
export function tlogReader() {
  const program = join(newFolder(), 'tlog-reader');
  const env = {
    ...process.env,
    GO111MODULE: 'off',
    GOPATH: PACKAGES,
    GOCACHE: newFolder(),
  };
  const cwd = resolve(import.meta.dirname, 'tlog-reader');
  const { status, stderr } = spawnSync('go', ['build', '-o', program, '.'], { cwd, env });
  if (status !== 0) throw new Error(String(stderr));
  return async (args: readonly string[], key = ''): Promise<string> => {
    const { stdout } = await promisify(execFile)(program, args, { env: { KEY: key } });
    return stdout.trim();
  };
}
