// Lets Jest run TypeScript: Node.js removes the types.
const { stripTypeScriptTypes } = require('node:module');

/** @param {string} code */
const process = (code) => ({ code: stripTypeScriptTypes(code) });

module.exports = { process };
