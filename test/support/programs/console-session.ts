/**
 * Runs the console's session without a browser, with keys that a service accepts, refuses, or answers
 * late, and prints a line for each case: the name of the key that is held, and the reason for which one
 * was dropped.
 */
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import type { StoreOrders } from '../../../src/client/client.ts';

const SRC = new URL('../../../src/', import.meta.url);
/** The address of the console: from that of its script it derives that of the service. */
const BASE = 'http://127.0.0.1:9/';

registerHooks({
  resolve(specifier, context, next) {
    const { parentURL = '' } = context;
    const isOwn = specifier.startsWith(BASE) || specifier.startsWith('.');
    if (isOwn && (specifier.startsWith(BASE) || parentURL.startsWith(BASE))) {
      return { url: new URL(specifier, parentURL).href, shortCircuit: true };
    }
    const parent = parentURL.startsWith(BASE) ? SRC.href : parentURL;
    return next(specifier, { ...context, parentURL: parent });
  },
  load(url, context, next) {
    if (!url.startsWith(BASE)) return next(url, context);
    const source = readFileSync(new URL(url.slice(BASE.length), SRC), 'utf8');
    return { format: 'module-typescript', shortCircuit: true, source };
  },
});

const entries = new Map<string, string>();
const storage = {
  getItem: (name: string) => entries.get(name) ?? null,
  setItem: (name: string, value: string) => void entries.set(name, value),
  removeItem: (name: string) => void entries.delete(name),
};
Object.assign(globalThis, {
  sessionStorage: storage,
  localStorage: storage,
  location: { href: `${BASE}console`, search: '' },
  history: { state: null },
  addEventListener: () => {},
});

/** The requests that are answered late, by their keys. */
const late = new Map<string, (response: Response) => void>();
const refusal = () =>
  Response.json({ code: 'unauthorized', message: 'no', status: 401 }, { status: 401 });

globalThis.fetch = async (input, init) => {
  const key = new Headers(init?.headers).get('Authorization')?.replace('Bearer ', '') ?? '';
  if (key === 'refused') return refusal();
  const isWho = String(input).endsWith('/v2/key');
  if (key === 'late' || !isWho) return new Promise((answer) => late.set(key, answer));
  return Response.json({ id: '1', name: key, scopes: ['orders:read'], createdAt: '' });
};

/** The part of the session's module that is tried: its own types are those of a browser. */
interface Session {
  readonly client: Pick<StoreOrders, 'summary'>;
  readonly who: { readonly value: { readonly name: string } | undefined };
  readonly farewell: { readonly value: string };
  enter(key: string, isForTab: boolean): Promise<unknown>;
  forget(reason: string): void;
}

const session: Session = await import(`${BASE}console/parts/session.ts`);
const { client, enter, farewell, forget, who } = session;

function print(name: string): void {
  process.stdout.write(`${name}: ${who.value?.name ?? 'none'}. ${farewell.value}\n`);
}

async function answered(key: string, response: Response, ended: Promise<unknown>): Promise<void> {
  late.get(key)?.(response);
  await ended;
}

await enter('refused', false);
print('a key that is refused');

await enter('old', false);
const first = client.summary().catch(() => undefined);
await new Promise((done) => setTimeout(done));
await answered('old', refusal(), first);
print('a key that is refused later');

await enter('old', false);
const second = client.summary().catch(() => undefined);
await new Promise((done) => setTimeout(done));
await enter('new', false);
await answered('old', refusal(), second);
print('a late refusal of the key before');

for (const [name, response] of [
  ['a late refusal of a key that was tried before', refusal()],
  ['a late acceptance of it', Response.json({ id: '2', name: 'late', scopes: [] })],
] as const) {
  forget('');
  const tried = enter('late', false);
  await new Promise((done) => setTimeout(done));
  await enter('new', false);
  await answered('late', response, tried);
  print(name);
}
process.exit();
