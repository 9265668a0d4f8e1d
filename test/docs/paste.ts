import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { freePort } from '../support/free-port.ts';

/**
 * Commands that a page lets run in a terminal of their own until they are stopped, and what is run
 * for them here: in the background, until they say where they answer. `npm ci` is left out because
 * it would remove the very packages that these tests run on; the gate, .ci/run, begins with it.
 */
export const IN_A_TERMINAL: Readonly<Record<string, string>> = {
  'npm ci && npm start\n': 'npm start',
  // On a port of its own: here, the service from before still runs.
  'npm run demo\n': 'PORT=0 npm run demo',
};

/** Commands that cannot be run here, and why. */
export const NOT_HERE: Readonly<Record<string, string>> = {
  [`install -d /opt/store-orders && cp -R . /opt/store-orders
(cd /opt/store-orders && npm ci)
useradd --system --no-create-home store-orders
cp docs/deployment/store-orders.service /etc/systemd/system/
sed '/^DATABASE_URL=/d' .env.example | install -m 600 /dev/stdin /etc/store-orders.env
systemctl daemon-reload && systemctl enable --now store-orders
journalctl --unit store-orders
`]: 'it makes users and services, as root',
  [`docker build --tag store-orders .
docker run --detach --name orders --read-only --tmpfs /tmp --cap-drop ALL \\
  --security-opt no-new-privileges --init --stop-timeout 15 \\
  --volume orders:/data --publish 127.0.0.1:3000:3000 store-orders
docker logs orders
docker exec orders node dist/main.js keys list
`]: 'there is no Docker here',
  [`printf 'ADMIN_PASSWORD=%s\\nORDERS_PASSWORD=%s\\n' $(openssl rand -hex 32) $(openssl rand -hex 32) > .env
docker compose up --detach --build
docker compose logs one two
curl --fail --silent http://127.0.0.1:8080/readyz
`]: 'there is no Docker here',
  'npm ci && npm test\n': 'it is what runs these tests',
  'npm run test:deep -- --minutes 10\n': 'it needs the sources; test/deep/deep.test.ts runs it',
};

/**
 * Commands that install packages, and what is run here: the same versions of them are installed
 * already, in the client's project of the tests.
 */
export const INSTALLED_HERE: Readonly<Record<string, string>> = {
  [`mkdir client
(cd client && npm init --yes && npm install openapi-fetch@0.17.0 \\
  openapi-typescript@7.13.0 typescript@5.9.3 @types/node@24.19.2)
`]: `mkdir client && ln -s ${resolve('test/client/node_modules')} client/node_modules`,
};

const POSTGRES_PORT = 5432;

/** The ports that pages show. */
const SHOWN_PORTS = [3000, 3001, POSTGRES_PORT] as const;

/** A block of SQL as a command that runs it, as the superuser, in the database that pages use. */
export function sqlCommand(text: string): string {
  const program = resolve('test/support/programs/run-sql.ts');
  return `node ${program} postgres://postgres@127.0.0.1:${POSTGRES_PORT}/orders <<'END'\n${text}END\n`;
}

/** What became of one pasted block. */
export interface Pasted {
  readonly commands: string;
  readonly output: string;
  readonly status: string;
}

/**
 * Pastes blocks of commands into one real shell, one after another, in a copy of the project as
 * `npm ci` leaves it. Where they say port 3000 or 3001, free ports are used instead; and whoever
 * asks for a key gets the one that the service has printed.
 * @param postgres Where PostgreSQL answers, where they say that it does at its usual port.
 */
export async function paste(
  folder: string,
  blocks: readonly string[],
  postgres = POSTGRES_PORT,
): Promise<readonly Pasted[]> {
  copyProject(folder);
  const ports = [await freePort(), await freePort(), postgres] as const;
  const session = join(folder, '.session');
  mkdirSync(session);
  writeFileSync(join(session, 'key'), '');
  for (const [index, commands] of blocks.entries()) {
    const text = INSTALLED_HERE[commands] ?? commands;
    writeFileSync(join(session, `${index}.sh`), withPorts(text, ports));
  }
  writeFileSync(join(session, 'all.sh'), blocks.map(runBlock).join(''));
  await runShell(folder, String(ports[0]));
  return blocks.map((commands, index) => ({
    commands,
    output: stable(readFileSync(join(session, `${index}.out`), 'utf8'), ports),
    status: readFileSync(join(session, `${index}.status`), 'utf8').trim(),
  }));
}

function copyProject(folder: string): void {
  for (const name of ['package.json', '.npmrc', 'dist', 'docs']) {
    cpSync(name, join(folder, name), { recursive: true });
  }
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
}

function runBlock(commands: string, index: number): string {
  const file = `.session/${index}`;
  const terminal = IN_A_TERMINAL[commands];
  if (terminal === undefined) {
    return `. ./${file}.sh > ${file}.out 2>&1 < .session/key; echo $? > ${file}.status\n`;
  }
  return `
${terminal} > ${file}.log 2> ${file}.out < /dev/null &
for _ in $(seq 100); do grep -q 'answers at' ${file}.out && break; sleep 0.1; done
grep -q 'answers at' ${file}.out; echo $? > ${file}.status
test -s .session/key || grep -o 'sto_[0-9A-Za-z_]*' ${file}.out | head -n 1 > .session/key
`;
}

// A process group of its own, so that nothing that a page has started outlives its test.
async function runShell(folder: string, port: string): Promise<void> {
  const { PATH = '' } = process.env;
  const env = { PATH, HOME: folder, PORT: port };
  const shell = spawn('sh', ['.session/all.sh'], {
    cwd: folder,
    env,
    stdio: 'ignore',
    detached: true,
  });
  await once(shell, 'exit');
  const group = -(shell.pid as number);
  for (let tries = 0; signal(group, tries < 100 ? 'SIGTERM' : 'SIGKILL'); tries++) {
    await setTimeout(50);
  }
}

/** Sends a signal. False where nobody is there to receive it. */
function signal(group: number, name: NodeJS.Signals): boolean {
  try {
    return process.kill(group, name);
  } catch {
    return false;
  }
}

function withPorts(text: string, ports: readonly number[]): string {
  return ports.reduce(
    (rest, port, index) => rest.replaceAll(String(SHOWN_PORTS[index]), String(port)),
    text,
  );
}

/** Replaces what differs from run to run, so that two runs can be compared. */
export function stable(text: string, ports: readonly number[] = []): string {
  return ports
    .reduce((rest, port, index) => rest.replaceAll(`:${port}`, `:${SHOWN_PORTS[index]}`), text)
    .replaceAll(/^npm warn .*\n/gm, '')
    .replaceAll(/sto_[0-9A-Za-z]{10}_[0-9A-Za-z]{49}/g, 'KEY')
    .replaceAll(/\b(the key) [0-9A-Za-z]{10}\b/g, '$1 ID')
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UUID')
    .replaceAll(/\b(store-orders\/)[0-9a-f]{16}/g, '$1ID')
    .replaceAll(/("by":"|by first \()[0-9A-Za-z]{10}/g, '$1ID')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'TIME')
    .replaceAll(/\broot [0-9a-f]{64}\b/g, 'root HASH')
    .replaceAll(/\d+ bytes/g, 'SIZE bytes')
    .trim();
}
