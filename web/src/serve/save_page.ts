// "Save as HTML": one file with code and results, which needs no network, no script and no program.
import type {Code} from './api';

/** The page's own, which is its first only until an editor has put in one for itself. */
const kStyle = document.querySelector('style')?.textContent ?? '';

function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
}

/** What one version is made of. */
export interface SavedVersion {
  code: Code;
  /** The compiler's name and version. */
  compiler: string;
  /** What it made of it; empty for assembly. */
  assembly: string;
}

function codePart({code, compiler, assembly}: SavedVersion): string {
  const {side, language, flags, text} = code;
  const isAssembly = language === 'assembly';
  const how = isAssembly ? 'assembly' : `${language}, ${compiler}, ${flags.join(' ')}`;
  const made = assembly
    ? `<h3>What the compiler made of it</h3><pre tabindex="0"><code>${escaped(assembly)}</code></pre>`
    : '';
  return `<section class="card"><h2>${escaped(`${side}: ${how}`)}</h2><pre tabindex="0"><code>${escaped(text)}</code></pre>${made}</section>`;
}

/** What is shown, as it is drawn now. What was said is text; what was markup was made by this page. */
export function savedPage(versions: SavedVersion[], answers: HTMLElement, machine: string): string {
  const shown = answers.cloneNode(true) as HTMLElement;
  for (const element of shown.querySelectorAll('button.link, a')) {
    const plain = document.createElement('span');
    plain.className = 'mono';
    plain.textContent = element.textContent;
    element.replaceWith(plain);
  }
  for (const element of shown.querySelectorAll('button, input, select, .hint, details:not([open])'))
    element.remove();
  const theme = document.documentElement.dataset.theme ?? 'light';
  return `<!doctype html>
<html lang="en" data-theme="${theme}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(`${machine} · cyclescope`)}</title>
<style>${kStyle}</style>
</head>
<body>
<header class="page-header"><div class="brand"><span class="mark"></span>cyclescope</div><div class="subject">${escaped(machine)}</div></header>
<main class="playground saved"><div class="versions">${versions.map(codePart).join('')}</div>${shown.outerHTML}</main>
</body>
</html>
`;
}

export function download(name: string, html: string): void {
  const address = URL.createObjectURL(new Blob([html], {type: 'text/html'}));
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
