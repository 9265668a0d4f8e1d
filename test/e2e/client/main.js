/** Runs the program in Node.js, Deno and Bun, and prints its result. */
import { useClient } from './program.js';

const [module = '', url = '', key = '', publicKey = ''] = process.argv.slice(2);
console.log(JSON.stringify(await useClient(await import(module), url, key, publicKey)));
// An event stream that was left is no reason to stay.
