// A drawing to the clipboard, or to a file where the browser keeps pages from the clipboard.
import {h} from './dom';

/** Twice the size that it has on a screen, for screens with small pixels. */
const kScale = 2;

function sourceOf(drawing: SVGElement): string {
  return new XMLSerializer().serializeToString(drawing);
}

async function pngOf(drawing: SVGElement): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(sourceOf(drawing))}`;
  await image.decode();
  const canvas = document.createElement('canvas');
  canvas.width = image.naturalWidth * kScale;
  canvas.height = image.naturalHeight * kScale;
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => (blob ? resolve(blob) : reject(new Error('no picture'))), 'image/png');
  });
}

function save(blob: Blob, name: string): void {
  const link = h('a', {href: URL.createObjectURL(blob), download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** "Copied", or "Saved" where only that was allowed. */
async function hand(blob: Blob, copy: () => Promise<void>, name: string): Promise<string> {
  try {
    await copy();
    return 'Copied';
  } catch {
    save(blob, name);
    return 'Saved';
  }
}

async function handPng(drawing: SVGElement, name: string): Promise<string> {
  const blob = await pngOf(drawing);
  const copy = () => navigator.clipboard.write([new ClipboardItem({'image/png': blob})]);
  return hand(blob, copy, `${name}.png`);
}

async function handSvg(drawing: SVGElement, name: string): Promise<string> {
  const source = sourceOf(drawing);
  const blob = new Blob([source], {type: 'image/svg+xml'});
  return hand(blob, () => navigator.clipboard.writeText(source), `${name}.svg`);
}

/** Two buttons that copy a drawing, which is made when it is asked for. */
export function pictureButtons(name: string, make: () => SVGElement): HTMLElement {
  const told = h('span', {class: 'soft', role: 'status'});
  const button = (label: string, run: (drawing: SVGElement, name: string) => Promise<string>) =>
    h(
      'button',
      {
        type: 'button',
        class: 'quiet',
        click: () => {
          told.textContent = '';
          run(make(), name).then(
            (word) => {
              told.textContent = word;
            },
            (error) => {
              told.textContent = `That did not work: ${error}`;
            },
          );
        },
      },
      label,
    );
  return h(
    'div',
    {class: 'picture-buttons'},
    button('Copy as PNG', handPng),
    button('Copy as SVG', handSvg),
    told,
  );
}
