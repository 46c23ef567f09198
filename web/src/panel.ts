// A panel beside the page: all that is known about one thing.
import {type Child, h} from './dom';

let panel: HTMLDialogElement | undefined;

/** Opens it, in place of one that is open. */
export function openPanel(title: Child, label: string, ...children: Child[]): HTMLDialogElement {
  panel?.remove();
  const opened = h(
    'dialog',
    {class: 'panel', 'aria-label': label},
    h(
      'header',
      {},
      title,
      h(
        'button',
        {type: 'button', class: 'quiet close', 'aria-label': 'Close', click: () => opened.close()},
        '✕',
      ),
    ),
    ...children,
  );
  // A click beside the panel closes it.
  opened.addEventListener('click', (event) => {
    if (event.target === opened) opened.close();
  });
  document.body.append(opened);
  opened.showModal();
  panel = opened;
  return opened;
}
