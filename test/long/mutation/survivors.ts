import { tableOf } from '../../docs/markdown.ts';

export const EXPLAINED_IN = 'docs/mutation.md';

/** A change of the code that no test notices. */
export interface Mutant {
  readonly file: string;
  /** The code that is changed, on one line. */
  readonly code: string;
  readonly becomes: string;
  /** Two mutants with the same key are the same. */
  readonly key: string;
}

/** The survivors that the page explains. */
export function explanations(): readonly Mutant[] {
  const rows = tableOf(EXPLAINED_IN, 'file | code | becomes | why it is equivalent');
  return rows.map(([file = '', code = '', becomes = '']) => mutant(file, code, becomes));
}

/** Returns a mutant as a row of the page, in which a | of the code would end a cell. */
export function rowOf({ file, code, becomes }: Mutant): string {
  const [cell, other] = [code, becomes].map((text) => text.replaceAll('|', '\\|'));
  return `| \`${file}\` | \`${cell}\` | \`${other}\` |`;
}

/** The members of Stryker's report that are read here (mutation testing report schema 2). */
export interface Report {
  readonly files: Readonly<Record<string, ReportedFile>>;
}

interface ReportedFile {
  readonly source: string;
  readonly mutants: readonly {
    readonly status: string;
    readonly replacement: string;
    readonly location: { readonly start: Place; readonly end: Place };
  }[];
}

/** Lines and columns count from 1. */
interface Place {
  readonly line: number;
  readonly column: number;
}

/** All mutants of a report that no test has noticed. */
export function survivorsIn({ files }: Report): readonly Mutant[] {
  return Object.entries(files).flatMap(([file, { source, mutants }]) => {
    const unnoticed = mutants.filter(
      ({ status }) => status === 'Survived' || status === 'NoCoverage',
    );
    return unnoticed.map(({ location: { start, end }, replacement }) => {
      const code = source.slice(indexOf(source, start), indexOf(source, end));
      return mutant(file, onOneLine(code), onOneLine(replacement));
    });
  });
}

function mutant(file: string, code: string, becomes: string): Mutant {
  return { file, code, becomes, key: [file, code, becomes].join('\n') };
}

function indexOf(source: string, { line, column }: Place): number {
  const before = source.split('\n').slice(0, line - 1);
  return before.reduce((sum, { length }) => sum + length + 1, column - 1);
}

function onOneLine(code: string): string {
  return code.replaceAll(/\s+/g, ' ').trim();
}
