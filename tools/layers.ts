import { writeFileSync } from 'node:fs';
import { posix } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The table of who may import what in `src`, and the linter's rules generated from it:
 *
 *   npm run layers      writes biome.layers.json, which biome.json extends
 *
 * Arrows point downwards only: domain ← app ← infra, http, cli ← engines, container ← service ←
 * composition ← main. Within `app` the log lies lowest, then state and ports, then the rooms that do the work.
 * Everything that is not named here is forbidden, also a package that is new.
 */

/** The rooms below an engine. */
const ENGINE = [
  ...['domain', 'app/**', 'infra/events/**', 'infra/process', 'infra/checking', 'infra/head'],
  ...['infra/settings', 'infra/snapshot'],
];

/** The files that verify proofs and exports, in Node.js as in browsers. */
const PROOFS = [
  ...['domain', 'app/log/recorded-event.ts', 'app/ports/event-log.ts', 'app/ports/evidence.ts'],
  ...[
    ...['verifier', 'bytes', 'tlog-proof', 'trail-check', 'trail-file', 'trail-seal'],
    ...['cosignature', 'witness-policy', 'event-rules', 'known-event'],
  ].map((file) => `app/audit/proofs/${file}.ts`),
];

/** The rooms below an audit. */
const AUDIT = ['domain', 'app', 'app/log', 'app/state', 'app/ports', 'app/audit/proofs'];

/** The folders, and the files right in `src`, with the rooms each may import besides itself. */
export const ROOMS: Readonly<Record<string, readonly string[]>> = {
  domain: [],
  // For browsers too: nothing of Node.js and nothing of the service.
  client: [],

  // For browsers alone: with the client, and with what verifies the service's proofs.
  console: [
    'client',
    'console/state',
    'console/views',
    'console/parts',
    'app/audit/proofs/crypto.ts',
  ],
  'console/state': ['client', ...PROOFS],
  // Hashes by itself: the verifier hashes whole trees and proofs only, and no tiles.
  'console/state/tile-tree.ts': ['app/audit/proofs/crypto.ts'],
  'console/parts': ['client', 'console/state'],
  'console/views': [
    ...['client', 'console/state', 'console/parts', 'domain/order.ts'],
    'app/log/recorded-event.ts',
  ],

  app: ['domain'],
  'app/log': ['domain'],
  'app/state': ['domain', 'app/log'],
  'app/ports': ['domain', 'app/log'],
  'app/lifecycle': ['domain', 'app', 'app/log', 'app/ports'],
  'app/keys': ['domain', 'app', 'app/log', 'app/ports'],
  'app/audit/proofs': ['domain', 'app/log', 'app/ports', 'app/state'],
  'app/audit/trail': AUDIT,
  'app/audit/proving': [...AUDIT, 'app/audit/trail'],
  'app/audit/monitor': AUDIT,
  'app/audit/witness': [...AUDIT, 'app/audit/proving/signing-key.ts'],
  'app/witnessing': ['domain', 'app', 'app/log', 'app/ports', 'app/audit/**'],
  'app/read': ['domain', 'app', 'app/log', 'app/state', 'app/ports'],
  'app/write/queue': ['domain', 'app', 'app/log', 'app/ports'],
  'app/write': ['domain', 'app', 'app/log', 'app/state', 'app/ports', 'app/write/queue'],
  'app/import': ['domain', 'app', 'app/log', 'app/state', 'app/ports'],

  'infra/events': ['domain', 'app/**'],
  // Loads the folder, which can be deleted.
  'infra/events/fast-path.ts': ['infra/events/fast'],
  'infra/events/fast': ['domain', 'app/**'],
  'infra/process': ['domain', 'app/**', 'client/retry-policy.ts'],
  'infra/settings': ['domain', 'app/**', 'infra/process'],
  'infra/head': ['domain', 'app/**', 'infra/process'],
  'infra/checking': ['domain', 'app/**', 'infra/events', 'infra/process'],
  'infra/snapshot': ['domain', 'app/**', 'infra/process', 'infra/checking'],
  'infra/memory': ENGINE,
  ...alike('infra/sqlite', ['start', 'storage', 'wal', 'witness'], [...ENGINE, 'infra/sqlite/**']),
  ...alike('infra/postgres', ['connection', 'start'], [...ENGINE, 'infra/postgres/**']),

  ...alike(
    'http',
    ['operations', 'requests', 'answers', 'description', 'site'],
    ['domain', 'app/**', 'http/**'],
  ),
  'http/site/browser': [],

  cli: ['domain', 'app/**', 'client', 'infra/process/small-file.ts', 'cli/shared'],
  'cli/shared': [
    ...['domain', 'app/**', 'client'],
    ...['infra/process/make-folder.ts', 'infra/process/small-file.ts'],
  ],

  'engines.ts': ['domain', 'app/**', 'infra/**'],
  'store-metrics.ts': ['domain', 'app/**'],
  'witness-metrics.ts': ['app/**'],
  'metrics.ts': ['domain', 'app/**', 'http/**', 'store-metrics.ts', 'witness-metrics.ts'],
  'witnesses.ts': ['domain', 'app/**', 'infra/process', 'infra/settings'],
  'container.ts': [
    'domain',
    'app/**',
    'infra/process',
    'infra/settings',
    'http/**',
    'metrics.ts',
    'witnesses.ts',
  ],
  'service.ts': [
    ...['domain', 'app/**', 'infra/process', 'infra/settings', 'http/**', 'cli/shared'],
    ...['engines.ts', 'container.ts', 'witnesses.ts'],
  ],
  'demo.ts': ['app/**', 'infra/settings', 'cli/shared', 'engines.ts', 'service.ts'],
  'witness.ts': [
    ...['domain', 'app/**', 'infra/process', 'infra/sqlite/witness', 'http/**', 'cli/shared'],
  ],
  'composition.ts': [
    ...['domain', 'app/**', 'infra/events', 'infra/process', 'infra/settings', 'cli/shared'],
    'infra/sqlite/start',
    'infra/sqlite/working-table.ts',
    ...['engines.ts', 'witnesses.ts', 'service.ts', 'demo.ts', 'witness.ts'],
  ],
  'main.ts': ['cli', 'composition.ts'],
};

/** The rooms and files that may import a package, and its inner modules. */
export const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  'better-sqlite3': ['infra/sqlite'],
  'cli-progress': ['cli/shared/progress.ts'],
  'close-with-grace': ['service.ts'],
  commander: ['cli'],
  cors: ['http/requests/cross-origin.ts'],
  '@opentelemetry/api': ['http/request-spans.ts'],
  '@effect/schema': ['infra/events/schema.ts'],
  effect: ['infra/events/schema.ts'],
  '@noble/ed25519': ['console/crypto.ts'],
  '@noble/hashes': ['console/crypto.ts'],
  '@preact/signals': ['console'],
  preact: ['console'],
  express: ['http'],
  helmet: ['http/answers/common-headers.ts', 'http/site/page-headers.ts'],
  marked: ['http/site/guides.ts', 'http/site/markdown.ts'],
  papaparse: ['cli/shared/import-formats.ts'],
  pg: ['infra/postgres'],
  'prom-client': ['infra/process/metrics-text.ts'],
  pino: ['http', 'infra/process/logger.ts', 'infra/process/log-text.ts'],
  'reflect-metadata': ['container.ts'],
  'store-orders': ['cli/conformance.ts'],
  tsyringe: ['container.ts'],
  zod: [
    'cli/shared/follower-file.ts',
    'http',
    'infra/settings/config.ts',
    'infra/settings/config-values.ts',
    'infra/settings/database-setting.ts',
    'infra/settings/limits.ts',
    'infra/settings/witness-settings.ts',
    'infra/process/witness-files.ts',
  ],
  'zod-openapi': ['http'],
};

/** The rooms that use nothing of Node.js. */
const WITHOUT_NODE = ['domain', 'client', 'console'];

/** Returns the linter's configuration: one override for each room, and for each file with more. */
function layerRules(): { overrides: readonly object[] } {
  const homes = Object.values(PACKAGES).flat();
  const files = new Set(homes.filter((home) => !(home in ROOMS)));
  return { overrides: [...Object.keys(ROOMS), ...[...files].sort()].map(override) };
}

/** Returns the rule of a room or of a file; of two that match, the linter follows the later. */
function override(path: string): object {
  const isFile = path.endsWith('.ts');
  const folder = isFile ? posix.dirname(path) : path;
  const room = path in ROOMS ? path : folder;
  const arrows = ROOMS[room] ?? [];
  const packages = Object.entries(PACKAGES).flatMap(([name, homes]) =>
    homes.some((home) => isWithin(path, home)) ? [name] : [],
  );
  const may = [
    ...(folder === '.' ? [] : ['./*']),
    ...arrows.flatMap((target) => specifiersOf(target, folder)),
    ...packages.flatMap((name) => [name, `${name}/**`]),
    ...(WITHOUT_NODE.some((room) => isWithin(path, room)) ? [] : ['node:*', 'node:*/*']),
  ];
  const message = `${room} may import ${[...arrows, ...packages].join(', ') || 'nothing but itself'}: see tools/layers.ts`;
  const patterns = [{ group: ['**', ...may.map((pattern) => `!${pattern}`)], message }];
  return {
    includes: [isFile ? `src/${path}` : `src/${path}/*`],
    linter: {
      rules: { style: { noRestrictedImports: { level: 'error', options: { patterns } } } },
    },
  };
}

/** Gives a room and the folders in it the same arrows. */
function alike(room: string, folders: readonly string[], arrows: readonly string[]) {
  const rooms = [room, ...folders.map((folder) => `${room}/${folder}`)];
  return Object.fromEntries(rooms.map((name) => [name, arrows]));
}

function isWithin(path: string, home: string): boolean {
  return path === home || path.startsWith(`${home}/`);
}

/** Returns patterns of the import specifiers by which files of a folder reach a target. */
function specifiersOf(target: string, folder: string): readonly string[] {
  if (target.endsWith('.ts')) return [relative(folder, target)];
  const [top = ''] = target.split('/**');
  const rooms = target === top ? [top] : Object.keys(ROOMS).filter((room) => isWithin(room, top));
  return rooms.map((room) => relative(folder, `${room}/*`));
}

function relative(folder: string, target: string): string {
  const path = posix.relative(folder, target);
  return path.startsWith('.') ? path : `./${path}`;
}

/** Returns the text of biome.layers.json: one line for each override. */
export function layersFile(): string {
  const lines = layerRules().overrides.map((rule) => `    ${JSON.stringify(rule)}`);
  return `{\n  "overrides": [\n${lines.join(',\n')}\n  ]\n}\n`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(new URL('../biome.layers.json', import.meta.url), layersFile());
}
