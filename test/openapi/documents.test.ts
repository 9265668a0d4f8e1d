import { describe, expect, test } from 'vitest';
import { describeVersion } from '../../src/http/description/description.ts';
import { serversOf } from '../../src/http/description/served.ts';
import { VERSION_1, VERSION_2 } from '../../src/http/description/versions.ts';

/**
 * The descriptions in docs/ are what the service says of itself. Run by `npm run openapi` this
 * writes them; run as a test it fails where they have drifted.
 */
describe.each([VERSION_1, VERSION_2])('The page in docs of $name', (version) => {
  test('is the description that the service serves', async () => {
    const servers = serversOf(version, { production: undefined, staging: undefined });
    await expect(describeVersion(version, servers)).toMatchFileSnapshot(
      `../../docs/openapi-${version.name}.json`,
    );
  });
});
