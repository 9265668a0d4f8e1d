import { resolve } from 'node:path';
import { type Block, blocksOf, linksOf, PAGES } from './markdown.ts';

/** The blocks of commands that the tests do not run, with the reason. */
export const NOT_RUN: Readonly<Record<string, string>> = {
  [`install -d /opt/store-orders && cp -R . /opt/store-orders
(cd /opt/store-orders && npm ci --omit=dev)
useradd --system --no-create-home store-orders
cp docs/deployment/store-orders.service /etc/systemd/system/
sed '/^DATABASE_URL=/d' .env.example | install -m 600 /dev/stdin /etc/store-orders.env
systemctl daemon-reload && systemctl enable --now store-orders
journalctl --unit store-orders
`]: 'systemd: it creates users and services, as root',
  'npm pack\nnpm install --global ./store-orders-1.0.0.tgz\nstore-orders serve\n':
    'it installs for the whole machine; test/e2e/install does it in a folder',
  [`docker build --tag store-orders .
docker run --detach --name orders --read-only --tmpfs /tmp --cap-drop ALL \\
  --security-opt no-new-privileges --init --stop-timeout 15 \\
  --volume orders:/data --publish 127.0.0.1:3000:3000 store-orders
docker logs orders
docker exec orders node dist/main.js keys list
`]: 'Docker',
  [`printf 'ADMIN_PASSWORD=%s\\nORDERS_PASSWORD=%s\\n' $(openssl rand -hex 32) $(openssl rand -hex 32) > .env
docker compose up --detach --build
docker compose logs one two
curl --fail --silent http://127.0.0.1:8080/readyz
`]: 'Docker',
  [`nats stream add ORDERS --subjects 'orders.*' --defaults
NATS=127.0.0.1:4222 store-orders follow --checkpoint nats.follow --exec 'node to-nats.mjs'
`]: 'NATS; test/e2e/cli/follow-nats.test.ts runs the program where there is a nats-server',
  [`store-orders follow --checkpoint kafka.follow --exec '
  EVENT=$(cat)
  echo "$(echo "$EVENT" | jq -r .subject)|$EVENT" |
    kcat -P -b broker:9092 -t orders -K "|" -X enable.idempotence=true -X acks=all || exit 75'
`]: 'Kafka',
  'npm ci && npm test\n': 'it is what runs these tests',
  'npm run test:deep -- --minutes 10\n': 'it takes minutes; test/long/deep/deep.test.ts runs it',
  'npm run test:world -- --seed 1 --seeds 2000\n': 'test/long/world/world.test.ts runs it',
  "npm run test:world -- --seed 1 --seeds 1 --fault 'the list is one event behind'\n":
    'test/long/world/world.test.ts runs it',
  [`EMMETT=$(mktemp -d)
(cd "$EMMETT" && npm init --yes && npm install @event-driven-io/emmett@0.38.5 \\
  @event-driven-io/emmett-sqlite@0.38.5 sqlite3@5.1.7)
npm run bench -- --only cancels --emmett "$EMMETT"
`]: 'it compiles a package and takes minutes',
  [`EMMETT=$(mktemp -d)
(cd "$EMMETT" && npm init --yes && npm install @event-driven-io/emmett@0.42.0 \\
  @event-driven-io/emmett-postgresql@0.42.0)
npm run bench -- --postgres --emmett "$EMMETT"
`]: 'it takes minutes',
};

/**
 * Blocks that run in a terminal of their own until they are stopped, with the commands to run instead.
 * `npm ci` is omitted, because it would remove the packages that the tests use. .ci/run begins with it.
 */
export const IN_A_TERMINAL: Readonly<Record<string, string>> = {
  'npm ci && npm start\n': 'npm start',
  'npm run demo\n': 'npm run demo',
};

/**
 * Blocks that install packages, with the commands to run instead: the same versions are already
 * installed here.
 */
export const INSTALLED_HERE: Readonly<Record<string, string>> = {
  [`mkdir client
(cd client && npm init --yes && npm install openapi-fetch@0.17.0 \\
  openapi-typescript@7.13.0 typescript@5.9.3 @types/node@24.19.2) > install.log 2>&1
`]: `mkdir client && ln -s ${resolve('test/client/node_modules')} client/node_modules\n`,
  'npm install --no-save ./store-orders-testing-1.0.0.tgz fast-check@4.10.2 > install.log 2>&1\n': `mkdir -p node_modules/store-orders-testing
tar -xzf store-orders-testing-1.0.0.tgz -C node_modules/store-orders-testing --strip-components=1
ln -s ${resolve('node_modules/fast-check')} node_modules/fast-check\n`,
};

/**
 * The programs that a block may need and a machine may lack, with their Debian packages. Where one is
 * missing, the blocks whose command it is are skipped, and the page is reported.
 */
export const OTHER_LANGUAGES: Readonly<Record<string, string>> = {
  python3: 'python3',
  go: 'golang-go',
  java: 'default-jdk-headless',
  openssl: 'openssl',
};

/** Returns the program that a block runs of those that a machine may lack. */
export function languageOf({ commands }: Step): string | undefined {
  const [, program = ''] = /^(?:[A-Z]\w*=\S+ )*(\w+) /.exec(commands) ?? [];
  return program in OTHER_LANGUAGES ? program : undefined;
}

/** A block of commands, and the text of the next block if that shows their output. */
export interface Step {
  readonly language: 'sh' | 'sql';
  readonly commands: string;
  readonly shown: string | undefined;
}

/** Returns the steps of a page, including those that are not run. */
export function stepsOf(page: string): readonly Step[] {
  const blocks = blocksOf(page);
  return blocks.flatMap((block, index) => {
    const { language, text } = block;
    if (language !== 'sh' && language !== 'sql') return [];
    return [{ language, commands: text, shown: shownBy(block, blocks[index + 1]) }];
  });
}

function shownBy({ section }: Block, next: Block | undefined): string | undefined {
  if (next?.section !== section) return undefined;
  return next.language === 'text' || next.language === 'json' ? next.text : undefined;
}

/** The pages with blocks to run: the README, then in the order of its links, then the others. */
export const PAGES_TO_RUN: readonly string[] = [
  ...new Set([
    'README.md',
    ...linksOf('README.md').map((link) => link.split('#')[0] ?? ''),
    ...PAGES,
  ]),
].filter((page) => {
  return page.endsWith('.md') && stepsOf(page).some(({ commands }) => !(commands in NOT_RUN));
});
