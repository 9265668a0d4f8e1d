/** The versions of the API, with the text about each as a whole. */
import { V1 } from '../operations/v1.ts';
import { V2 } from '../operations/v2.ts';
import type { DescribedVersion } from './description.ts';

const COMMON = `
Every request needs an API key, as \`Authorization: Bearer <API_KEY>\`. Dates are taken with any offset,
if in UTC they are in the years 0000 to 9999, and answered in UTC with milliseconds. Integers in a body are
in digits alone: 1.0 and 1e0 are a 400. Every answer of 400 and above is an \`Error\`, whose list of codes
is closed. HEAD works wherever GET does; a path that exists answers any other method with 405 and
\`Allow\`, unless HTTP has no such method: that is a 400. A change is a 400 if it has an \`If-Match\`, \`If-None-Match\` or \`Content-Range\` that its
operation does not read.`;

export const VERSION_1: DescribedVersion = {
  name: 'v1',
  version: '1.0.0',
  description: `Lists, places, ships and cancels the orders of a pet store, and tells what happened.
${COMMON} Ids are integers of 64 bits: in JavaScript, \`JSON.parse\` rounds those beyond 2^53, so use a
parser that keeps them, or version 2. The operations for auditors refuse a query parameter that they do
not know with a 400.`,
  operations: V1,
};

export const VERSION_2: DescribedVersion = {
  name: 'v2',
  version: '2.0.0-beta',
  stability: 'beta',
  description: `What version 1 does, with filters and pages for the list, and with the status of an order
and its times. Ids are integers of 64 bits in decimal, as strings. It is a beta: it works and is tested,
and may still change.
${COMMON} A query parameter that an operation does not know is a 400.`,
  operations: V2,
};
