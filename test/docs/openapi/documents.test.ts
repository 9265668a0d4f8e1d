import { describe, expect, test } from 'vitest';
import { describeVersion } from '../../../src/http/description/description.ts';
import { serversOf } from '../../../src/http/description/served.ts';
import { VERSION_1, VERSION_2 } from '../../../src/http/description/versions.ts';

/**
 * Compares the descriptions in docs/ with those that the service serves. `npm run openapi` runs this
 * to write them; as a test it fails if they have drifted.
 */
describe.each([VERSION_1, VERSION_2])('The description of $name in docs', (version) => {
  test('equals the description that the service serves', async () => {
    const servers = serversOf(version, { production: undefined, staging: undefined });
    await expect(describeVersion(version, servers)).toMatchFileSnapshot(
      `../../../docs/openapi-${version.name}.json`,
    );
  });
});
