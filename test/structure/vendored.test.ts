import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeVendored } from '../../tools/vendor.ts';
import { temporaryFolder } from '../support/folder.ts';

test('vendor is what its packages yield: npm run vendor writes it', async () => {
  const folder = temporaryFolder();
  await writeVendored(folder);
  const written = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort();
  const kept = readdirSync('vendor', { recursive: true, encoding: 'utf8' }).sort();
  expect(kept.filter((file) => file !== 'README.md')).toStrictEqual(written);
  for (const file of written.filter((name) => name.includes('.') || name === 'NOTICE')) {
    const [fresh, there] = [join(folder, file), join('vendor', file)].map((path) => {
      return readFileSync(path);
    });
    // Not toEqual: it would print the whole file.
    expect(there?.equals(fresh as Buffer), file).toBe(true);
  }
});
