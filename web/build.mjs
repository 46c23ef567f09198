// Bundles a page into one HTML file: node build.mjs report|site|serve OUTPUT
//
// The report needs nothing else. The first page of a site loads the scripts in its folder data/.
// The page of `cyclescope serve` asks the program that it comes from.
// The program puts the results in place of the marker @CYCLESCOPE_DATA@ (src/report/html.cc).
import {createHash} from 'node:crypto';
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {build} from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const pages = {
  report: {entry: 'src/main.ts', moreScripts: '', connect: "'none'"},
  // From a file, a page's own folder is no origin.
  site: {entry: 'src/site/main.ts', moreScripts: " 'self' file:", connect: "'none'"},
  serve: {entry: 'src/serve/main.ts', moreScripts: '', connect: "'self'"},
};
const page = pages[process.argv[2]];
const output = process.argv[3];
if (!page || !output) throw new Error('usage: node build.mjs report|site|serve OUTPUT');

const bundle = await build({
  entryPoints: [join(here, page.entry)],
  outdir: 'unused',
  bundle: true,
  minify: true,
  format: 'iife',
  target: 'es2022',
  legalComments: 'none',
  write: false,
});

function outputEndingIn(ending) {
  return bundle.outputFiles.find((file) => file.path.endsWith(ending)).text.trim();
}

const script = outputEndingIn('.js');
const style = outputEndingIn('.css');
// Only this very script may run: were a result to smuggle in another, the browser would refuse it.
const scriptHash = createHash('sha256').update(script).digest('base64');
const sources = `'sha256-${scriptHash}'${page.moreScripts}`;

const pieces = {SCRIPT: script, SCRIPT_SOURCES: sources, STYLE: style, CONNECT: page.connect};
const html = readFileSync(join(here, 'src/page.html'), 'utf8').replace(
  /@(SCRIPT|SCRIPT_SOURCES|STYLE|CONNECT)@/g,
  (_, name) => pieces[name],
);

mkdirSync(dirname(output), {recursive: true});
writeFileSync(output, html);
