/** True in `npm run test:nightly`, which runs everything in full; `npm test` has minutes. */
export const isNightly = process.env.NIGHTLY === '1';
