import { globSync, readFileSync } from 'node:fs';
import { type ESTree, parseSync, Visitor } from 'rolldown/utils';

/** The files of src, by their paths from there. */
export const SOURCE_FILES: readonly string[] = globSync('**/*.{ts,tsx}', { cwd: 'src' }).sort();

/** A file of src, or one that a test has planted. */
export interface Source {
  readonly file: string;
  readonly text: string;
}

export function sourceOf(file: string): Source {
  return { file, text: readFileSync(`src/${file}`, 'utf8') };
}

/** Returns the specifiers that a file imports, or exports from. */
export function importsOf({ file, text }: Source): readonly string[] {
  const found: string[] = [];
  const add = ({ source }: { readonly source: ESTree.Expression | null }) => {
    if (source?.type === 'Literal') found.push(String(source.value));
  };
  new Visitor({
    ImportDeclaration: add,
    ExportNamedDeclaration: add,
    ExportAllDeclaration: add,
    ImportExpression: add,
  }).visit(parseSync(file, text).program);
  return found;
}

/** Returns the first line and the number of lines of each function, methods and arrows included. */
export function functionsOf({ file, text }: Source): readonly { line: number; lines: number }[] {
  const found: { line: number; lines: number }[] = [];
  const add = ({ start, end }: { readonly start: number; readonly end: number }) => {
    const line = lineAt(text, start);
    found.push({ line, lines: lineAt(text, end) - line + 1 });
  };
  new Visitor({
    FunctionDeclaration: add,
    FunctionExpression: add,
    ArrowFunctionExpression: add,
  }).visit(parseSync(file, text).program);
  return found;
}

/** A comment without its marks; lines of `//` one below the other are one comment. */
export interface Comment {
  readonly line: number;
  readonly text: string;
  readonly isDoc: boolean;
  /** The offset of the code behind it. */
  readonly end: number;
}

export function commentsOf({ file, text }: Source): readonly Comment[] {
  const found: Comment[] = [];
  let last = { type: '', end: 0 };
  for (const { type, value, start, end } of parseSync(file, text).comments) {
    const words = value
      .replaceAll(/^\s*\*+/gm, '')
      .replaceAll(/\s+/g, ' ')
      .trim();
    const isNext =
      type === 'Line' && last.type === 'Line' && /^\n *$/.test(text.slice(last.end, start));
    const previous = isNext ? found.pop() : undefined;
    found.push({
      line: previous?.line ?? lineAt(text, start),
      text: previous === undefined ? words : `${previous.text} ${words}`,
      isDoc: type === 'Block' && value.startsWith('*'),
      end,
    });
    last = { type, end };
  }
  return found;
}

/** Returns the offsets of the statements by which a file exports something of its own. */
export function exportsOf({ file, text }: Source): readonly number[] {
  return parseSync(file, text).program.body.flatMap((statement) =>
    statement.type === 'ExportNamedDeclaration' ? [statement.start] : [],
  );
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}
