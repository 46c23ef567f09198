// Runs test files in one process, so that all of them share a browser: node all.mjs FILE...
import {resolve} from 'node:path';
import {pathToFileURL} from 'node:url';

for (const file of process.argv.slice(2)) await import(pathToFileURL(resolve(file)).href);
