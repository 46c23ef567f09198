// Bundles the report into one HTML file that needs nothing else: node build.mjs OUTPUT
//
// The program puts the results in place of the marker @CYCLESCOPE_DATA@ (src/report/html.cc).
import {createHash} from 'node:crypto';
import {mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {build} from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const output = process.argv[2];
if (!output) throw new Error('usage: node build.mjs OUTPUT');

const bundle = await build({
  entryPoints: [join(here, 'src/main.ts')],
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

const pieces = {SCRIPT: script, SCRIPT_HASH: `sha256-${scriptHash}`, STYLE: style};
const html = readFileSync(join(here, 'src/page.html'), 'utf8').replace(
  /@(SCRIPT|SCRIPT_HASH|STYLE)@/g,
  (_, name) => pieces[name],
);

mkdirSync(dirname(output), {recursive: true});
writeFileSync(output, html);
