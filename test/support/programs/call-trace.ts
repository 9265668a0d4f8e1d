import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';

/**
 * Preloaded into a service by `node --import`: counts the calls of every function in each thread, by
 * V8's precise coverage. A thread listens on a socket of its own in the folder CALL_TRACE, and
 * answers each connection with the functions of the service that were called since the last one. At
 * its end it writes those that were called since then into a file.
 */

/** Part of the inspector's answer to `Profiler.takePreciseCoverage`. */
interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly functionName: string;
      readonly ranges: readonly { readonly startOffset: number; readonly count: number }[];
    }[];
  }[];
}

const { CALL_TRACE = '' } = process.env;
const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

/** Returns each function called since the last call of this one: file, name and place. */
function called(): readonly string[] {
  const names: string[] = [];
  session.post('Profiler.takePreciseCoverage', (_, coverage) => {
    for (const { url, functions } of (coverage as Coverage).result) {
      const [, file] = url.match(/^(?!.*\/node_modules\/).*\/dist\/(.*)\.js$/) ?? [];
      for (const { functionName, ranges } of file === undefined ? [] : functions) {
        const [range] = ranges;
        if (range !== undefined && range.count > 0) {
          names.push(`src/${file}.ts ${functionName || '(anonymous)'} ${range.startOffset}`);
        }
      }
    }
  });
  return names;
}

createServer((socket) => socket.end(JSON.stringify(called())))
  .listen(join(CALL_TRACE, `${threadId}.sock`))
  .unref();

process.on('exit', () => {
  writeFileSync(join(CALL_TRACE, `${threadId}.exit.json`), JSON.stringify(called()));
});
