/** The violations of OWASP's rules that are accepted: where they are, and the reason. */
export const WAIVERS: readonly { rule: string; where: RegExp; why: string }[] = [
  {
    rule: 'owasp:api1:2023-no-numeric-ids',
    where: /parameters \d+ schema$/,
    why:
      "The contract's ids are integers of 64 bits. To guess one helps nobody: a key may read all " +
      'orders or none.',
  },
  {
    rule: 'owasp:api4:2023-array-limit',
    where: /^paths \/store\/orders get responses 200 /,
    why: 'The list of version 1 is the whole store, by the contract. Version 2 has pages.',
  },
  {
    rule: 'owasp:api4:2023-string-restricted',
    where: / message$| schema allOf 0 properties message$/,
    why: 'A message is a text for people: it has a greatest length, and no form.',
  },
  {
    rule: 'owasp:api4:2023-rate-limit',
    where: / responses \d+(?: headers)?$/,
    why:
      'Whoever has a valid key has no limit to be told of. What is too much for the service is refused ' +
      'with 503 and Retry-After.',
  },
  {
    rule: 'owasp:api8:2023-define-cors-origin',
    where: /headers$/,
    why:
      'No page of another origin may call the API, unless the configuration names it. Whether an ' +
      'answer has the header is a matter of the installation, not of the operation.',
  },
];

/** The rules of Spectral's own set that are off, each with its reason. */
export const OAS_WAIVERS: Readonly<Record<string, 'off'>> = {
  // The operator of an installation is its contact; the description is the same for all of them.
  'info-contact': 'off',
  // The licence is named by its SPDX identifier, which OpenAPI 3.1 has in the place of an address.
  'license-url': 'off',
  // The tags stand in the order of their use: orders, then pets, then what is for auditors.
  'openapi-tags-alphabetical': 'off',
};
