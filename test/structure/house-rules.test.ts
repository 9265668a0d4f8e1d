import { readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  commentsOf,
  exportsOf,
  functionsOf,
  SOURCE_FILES,
  type Source,
  sourceOf,
} from './sources.ts';

const MAX_FILE_LINES = 250;
const MAX_FUNCTION_LINES = 60;

/** A rule that every file of src keeps. */
interface Rule {
  readonly rule: string;
  /** Returns the lines, or other places, where a file breaks the rule. */
  readonly breaks: (source: Source) => readonly (number | string)[];
  /** Files that may break it, each with the reason. */
  readonly exceptions?: Readonly<Record<string, string>>;
  /** Texts that break it, and texts that keep it although they come close. */
  readonly broken: readonly string[];
  readonly sound: readonly string[];
}

const RULES: readonly Rule[] = [
  {
    rule: `a file has at most ${MAX_FILE_LINES} lines`,
    breaks: ({ text }) => (linesOf(text) > MAX_FILE_LINES ? [linesOf(text)] : []),
    exceptions: {
      'app/audit/proofs/verifier.ts':
        'published as one file, so that it can be read from top to bottom',
    },
    broken: ['\n'.repeat(251)],
    sound: ['\n'.repeat(250)],
  },
  {
    rule: `a function has at most ${MAX_FUNCTION_LINES} lines`,
    breaks: (source) => {
      const long = functionsOf(source).filter(({ lines }) => lines > MAX_FUNCTION_LINES);
      return long.map(({ line }) => line);
    },
    broken: [
      `function f() {${'\n'.repeat(60)}}\n`,
      `const f = () => {${'\n'.repeat(60)}};\n`,
      `class A { static #f(a = 1) {${'\n'.repeat(60)}} }\n`,
    ],
    sound: [
      `function f() {${'\n'.repeat(59)}}\n`,
      `class A { a() {${'\n'.repeat(40)}}\n b() {${'\n'.repeat(40)}} }\n`,
    ],
  },
  {
    rule: 'no comment begins with What, How, Whether, Where, When or Why',
    breaks: (source) => {
      const riddles = commentsOf(source).filter(({ text }) => {
        return /^(?:What|How|Whether|Where|When|Why)\b/.test(text);
      });
      return riddles.map(({ line }) => line);
    },
    broken: [
      '/** What it is. */\nexport const a = 1;\n',
      '/**\n * Whether it is.\n */\nexport const a = 1;\n',
      'interface A {\n  /** When it was. */\n  at: number;\n}\n',
      'const a = 1; // Why not?\n',
    ],
    sound: [
      '/** The place where it is. */\nexport const a = 1;\n',
      '// It waits.\n// When it is done, it ends.\n',
      "const a = '// Where';\n",
      '/** Whatever is there. */\n',
    ],
  },
  {
    rule: 'a file opens with a sentence about itself, or holds one export that does',
    breaks: (source) => (opensWithSentence(source) ? [] : [1]),
    broken: [
      'export const a = 1;\n',
      "import { b } from './b.ts';\n\n/** An a. */\nexport const a = b;\nexport const c = b;\n",
      '// An a.\nexport const a = 1;\n',
      '/** an a */\nexport const a = 1;\n',
      "import './b.ts';\n\n/** A b. */\nconst b = 1;\n\nexport const a = b;\n",
    ],
    sound: [
      '/** Values of a, and of b. */\n\nexport const a = 1;\nexport const b = 1;\n',
      "import { b } from './b.ts';\n\n/** Returns b. */\nexport const a = () => b;\n",
      "/**\n * Starts b in a thread of its own.\n */\nimport './b.ts';\n",
    ],
  },
  {
    rule: 'the read model alone catches up with the log',
    breaks: (source) => placesOf(source, /\.catchUp\(/g),
    exceptions: {
      'app/read/read-model.ts': 'calls it before it hands the list out',
    },
    broken: ['await projector.catchUp();\n'],
    sound: ['await readModel.current();\n'],
  },
  {
    rule: 'the engine is chosen in one place',
    breaks: (source) => placesOf(source, /(?:[=!]==|\bcase) '(?:memory|sqlite|postgres)'/g),
    exceptions: { 'engines.ts': 'is that place' },
    broken: ["if (engine === 'sqlite') start();\n", "switch (engine) {\n  case 'postgres':\n}\n"],
    sound: ["const engine = 'sqlite';\n"],
  },
  {
    rule: 'of node:http, types alone are imported',
    breaks: (source) => placesOf(source, /^import (?!type)[^;]*'node:http'/gm),
    broken: [
      "import { createServer } from 'node:http';\n",
      "import {\n  createServer,\n  type Server,\n} from 'node:http';\n",
    ],
    sound: ["import type { Server } from 'node:http';\nimport { http } from './node-http.ts';\n"],
  },
];

/** Files, or folders, that break a rule and are still to be mended. One that keeps it has to leave. */
const UNMENDED = JSON.parse(readFileSync('test/structure/unmended.json', 'utf8')) as Readonly<
  Record<string, readonly string[]>
>;

describe.each(RULES)('$rule', ({ rule, breaks, exceptions = {}, broken, sound }) => {
  test.each(broken)('broken by %j', (text) => {
    expect(breaks({ file: 'planted.ts', text })).not.toStrictEqual([]);
  });

  test.each(sound)('kept by %j', (text) => {
    expect(breaks({ file: 'planted.ts', text })).toStrictEqual([]);
  });

  test('kept by all files but those in unmended.json, where no other stands', () => {
    const unmended = new Set(UNMENDED[rule]);
    const found = SOURCE_FILES.flatMap((file) => {
      const places = file in exceptions ? [] : breaks(sourceOf(file));
      return places.map((place) => ({ file, folder: dirname(file), place }));
    });
    const complaints = found
      .filter(({ file, folder }) => !unmended.has(file) && !unmended.has(folder))
      .map(({ file, place }) => `${file}:${place}`);
    for (const { file, folder } of found) {
      unmended.delete(file);
      unmended.delete(folder);
    }
    const mended = [...unmended].map((it) => `mended, delete it from unmended.json: ${it}`);
    expect([...complaints, ...mended]).toStrictEqual([]);
  });

  test('needed by its exceptions', () => {
    const needless = Object.keys(exceptions).filter((file) => breaks(sourceOf(file)).length === 0);
    expect(needless).toStrictEqual([]);
  });
});

test('unmended.json names rules that exist', () => {
  const rules = RULES.map(({ rule }) => rule);
  expect(rules).toEqual(expect.arrayContaining(Object.keys(UNMENDED)));
});

function linesOf(text: string): number {
  return text.split('\n').length - 1;
}

function placesOf({ text }: Source, pattern: RegExp): readonly number[] {
  return [...text.matchAll(pattern)].map(({ index }) => linesOf(text.slice(0, index)) + 1);
}

function opensWithSentence(source: Source): boolean {
  const docs = commentsOf(source).filter(({ text, isDoc }) => isDoc && /^[A-Z`].*[.:]/.test(text));
  if (source.text.startsWith('/**')) return docs[0]?.line === 1;
  const [only, another] = exportsOf(source);
  if (only === undefined || another !== undefined) return false;
  return docs.some(({ end }) => end < only && source.text.slice(end, only).trim() === '');
}
