import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { requireNew, targetOf, writeWhole } from '../../../../src/cli/shared/new-file.ts';
import { temporaryFolder } from '../../../support/folder.ts';

function given(text?: string) {
  const folder = temporaryFolder();
  const file = join(folder, 'list');
  if (text !== undefined) writeFileSync(file, text, { mode: 0o644 });
  return { file, files: () => readdirSync(folder), text: () => readFileSync(file, 'utf8') };
}

async function* parts(meanwhile: () => void = () => {}) {
  yield 'one\n';
  meanwhile();
  yield 'two\n';
}

const REFUSED = 'is there already and was left as it is.';

describe('A file that is written', () => {
  it('is there when it is whole, for its owner only, and nothing else is', async () => {
    const { file, files, text } = given();
    const during: string[] = [];
    await writeWhole(
      file,
      parts(() => during.push(...files())),
    );
    expect(during).toEqual([expect.stringMatching(/^list\.unfinished-/)]);
    expect(files()).toEqual(['list']);
    expect(text()).toBe('one\ntwo\n');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('replaces another as a whole, and only by force', async () => {
    const { file, files, text } = given('precious');
    expect(() => requireNew(file)).toThrow(/left as it is\.$/);
    expect(() => requireNew(file, false)).toThrow(`${REFUSED} --force replaces it.`);
    requireNew(file, true);
    await writeWhole(
      file,
      parts(() => expect(text()).toBe('precious')),
      { force: true },
    );
    expect(text()).toBe('one\ntwo\n');
    expect(files()).toEqual(['list']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it.each([['there'], ['not there yet']])('is the one behind links, which stay: %s', async (is) => {
    const { file, files } = given(is === 'there' ? 'precious' : undefined);
    const folder = temporaryFolder();
    const [link, second] = [join(folder, 'link'), join(folder, 'second')];
    symlinkSync(file, link);
    symlinkSync('link', second);
    for (const name of [file, link, second]) expect(targetOf(name)).toBe(file);
    await writeWhole(second, parts(), { force: true });
    expect(readFileSync(file, 'utf8')).toBe('one\ntwo\n');
    expect(files()).toEqual(['list']);
    expect(lstatSync(link).isSymbolicLink() && lstatSync(second).isSymbolicLink()).toBe(true);
  });

  it('is not found behind links in a circle', () => {
    const { file } = given();
    symlinkSync('list', file);
    expect(() => targetOf(file)).toThrow('ELOOP');
  });

  it('leaves a file unchanged that another process has created meanwhile', async () => {
    const { file, files, text } = given();
    const written = writeWhole(
      file,
      parts(() => writeFileSync(file, 'precious')),
    );
    await expect(written).rejects.toThrow(REFUSED);
    expect(files()).toEqual(['list']);
    expect(text()).toBe('precious');
  });

  it.each([
    ['a folder', (file: string) => mkdirSync(file)],
    ['a device', (file: string) => symlinkSync('/dev/null', file)],
  ])('never replaces %s', async (_, make) => {
    const { file, files } = given();
    make(file);
    const { ino } = statSync(file);
    expect(() => requireNew(file, true)).toThrow(REFUSED);
    await expect(writeWhole(file, parts(), { force: true })).rejects.toThrow(REFUSED);
    expect(files()).toEqual(['list']);
    expect(statSync(file).ino).toBe(ino);
  });

  it('is not created if its text cannot be made, or if it is aborted', async () => {
    const { file, files, text } = given('precious');
    const failing = parts(() => {
      throw new Error('no more');
    });
    await expect(writeWhole(file, failing, { force: true })).rejects.toThrow('no more');
    const controller = new AbortController();
    const stopped = writeWhole(
      file,
      parts(() => controller.abort(new Error('stopped'))),
      { force: true, signal: controller.signal },
    );
    await expect(stopped).rejects.toThrow('stopped');
    expect(files()).toEqual(['list']);
    expect(text()).toBe('precious');
  });
});
