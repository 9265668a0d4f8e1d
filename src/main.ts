// better-sqlite3 needs Node-API 10 and would crash the process without it, so this is asked before
// anything else is loaded.
if (Number(process.versions.napi) < 10) {
  process.stderr.write(
    `store-orders needs Node.js 24 or newer and runs on ${process.version}. In a clone, ` +
      '`npm start` and `npx store-orders` bring their own; elsewhere, install Node.js 24.\n',
  );
  process.exit(1);
}

const { run } = await import('./cli/program.ts');
process.exitCode = await run(process.argv, await import('./container.ts'));

export {};
