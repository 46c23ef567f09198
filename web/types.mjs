// Writes src/document.ts, the types of the result document, from its schema: node types.mjs
//
// The bundler drops types, so that only the type check needs them.
import {readFileSync, writeFileSync} from 'node:fs';

const schema = JSON.parse(
  readFileSync(new URL('../docs/schema/cyclescope-1.json', import.meta.url), 'utf8'),
);
const basic = {
  number: 'Numbered',
  count: 'number',
  cpus: 'number[]',
  pair: '[number, number]',
  matrix: 'Matrix',
};

function typeOf(field) {
  if (field.$ref) {
    const name = field.$ref.split('/').at(-1);
    return basic[name] ?? name;
  }
  if (field.enum) return field.enum.map((name) => `'${name}'`).join(' | ');
  if (field.type === 'array') return `${typeOf(field.items)}[]`;
  return field.const ? 'string' : field.type;
}

function interfaceOf(name, {description, required, properties}) {
  const fields = Object.entries(properties).map(
    ([field, facts]) =>
      `  /** ${facts.description} */\n` +
      `  ${field}${required.includes(field) ? '' : '?'}: ${typeOf(facts)};\n`,
  );
  return `\n/** ${description} */\nexport interface ${name} {\n${fields.join('')}}\n`;
}

const interfaces = Object.entries(schema.$defs)
  .filter(([name]) => !(name in basic))
  .map(([name, definition]) => interfaceOf(name, definition));
writeFileSync(
  new URL('src/document.ts', import.meta.url),
  `// Made by types.mjs from docs/schema/cyclescope-1.json.

export type Numbered = number | null;
export type Matrix = Numbered[][];

/** How far a measured value can be trusted. Its fields stand beside it. */
export type Uncertainty = Omit<Estimate, 'value'>;
${interfaces.join('')}${interfaceOf('ResultDocument', schema)}`,
);
