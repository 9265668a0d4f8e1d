/** Starts the command line, in which the service is one of the commands. */

// better-sqlite3 needs Node-API 10 and would crash the process without it, so this is checked
// before anything else is loaded.
if (Number(process.versions.napi) < 10) {
  process.stderr.write(
    `store-orders needs Node.js 24 or newer and runs on ${process.version}. In a clone, ` +
      '`npm start` and `npx store-orders` bring their own; elsewhere, install Node.js 24.\n',
  );
  process.exit(1);
}

// Without a listener, Node.js opens its debugger at this signal, and any user of the machine who connects
// to it can read the secrets.
process.on('SIGUSR1', () => undefined);

const { run } = await import('./cli/program.ts');
const { composition } = await import('./composition.ts');
process.exitCode = await run(process.argv, composition);
// The adapter is the user's code, and may have left a timer or a connection open.
if (process.argv[2] === 'conformance') setTimeout(() => process.exit(), 1_000).unref();
