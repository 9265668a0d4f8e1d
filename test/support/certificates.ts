import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The reason why certificates cannot be created here; `undefined` if they can. */
export function noCertificates(): string | undefined {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' });
    return undefined;
  } catch {
    return 'openssl is not installed';
  }
}

/** A certificate authority in a folder. */
export class Authority {
  /** The file of the authority's own certificate. */
  readonly certificate: string;
  readonly #folder: string;
  readonly #key: string;

  constructor(folder: string, name: string) {
    this.#folder = folder;
    this.certificate = join(folder, `${name}.crt`);
    this.#key = join(folder, `${name}.key`);
    run([
      ...['req', '-x509', ...NEW_KEY, '-days', '2', '-subj', `/CN=${name}`],
      ...['-keyout', this.#key, '-out', this.certificate],
    ]);
  }

  /** Issues a certificate, and returns its file and the file of its key. */
  issue(name: string, alternatives?: string): { certificate: string; key: string } {
    const [key, request, certificate, extensions] = ['key', 'csr', 'crt', 'ext'].map((end) =>
      join(this.#folder, `${name}.${end}`),
    ) as [string, string, string, string];
    run(['req', ...NEW_KEY, '-subj', `/CN=${name}`, '-keyout', key, '-out', request]);
    writeFileSync(extensions, alternatives === undefined ? '' : `subjectAltName=${alternatives}`);
    run([
      ...['x509', '-req', '-in', request, '-days', '2', '-CAcreateserial'],
      ...['-CA', this.certificate, '-CAkey', this.#key],
      ...['-extfile', extensions, '-out', certificate],
    ]);
    return { certificate, key };
  }
}

const NEW_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];

function run(args: readonly string[]): void {
  execFileSync('openssl', args, { stdio: 'ignore' });
}
