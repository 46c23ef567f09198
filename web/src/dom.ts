// Builds elements. Text always becomes a text node: what a result holds is shown, never parsed.

export type Child = Node | string | number | null | undefined | false;
type Attributes = Record<string, string | number | boolean | undefined | ((event: Event) => void)>;

export function h<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  setAttributes(element, attributes);
  append(element, children);
  return element;
}

export function svg(tag: string, attributes: Attributes = {}, ...children: Child[]): SVGElement {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  setAttributes(element, attributes);
  append(element, children);
  return element;
}

function setAttributes(element: Element, attributes: Attributes): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === 'function') {
      element.addEventListener(name, value);
    } else {
      element.setAttribute(name, value === true ? '' : String(value));
    }
  }
}

// Characters that change the direction of what follows could make a text read as another.
function shown(text: string): string {
  return text.replace(/[\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
}

function append(element: Element, children: Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child instanceof Node ? child : shown(String(child)));
  }
}

let lastId = 0;

/** An id that no other element has, for labels and the like. */
export function uniqueId(): string {
  lastId += 1;
  return `c${lastId}`;
}

export interface TableColumn {
  title: string;
  numeric?: boolean;
  /** A long text: on several lines where there is no room. */
  wraps?: boolean;
}

function classOf(column: TableColumn | undefined): string {
  return [column?.numeric ? 'numeric' : '', column?.wraps ? 'wraps' : ''].join(' ').trim();
}

/** A plain table. The first cell of a row is its header. */
export function table(caption: string, columns: TableColumn[], rows: Child[][]): HTMLElement {
  const head = h('tr');
  for (const column of columns) {
    head.append(h('th', {scope: 'col', class: classOf(column)}, column.title));
  }
  const body = h('tbody');
  for (const cells of rows) {
    const row = h('tr');
    cells.forEach((cell, i) => {
      const attributes = {class: classOf(columns[i])};
      row.append(
        i === 0 ? h('th', {scope: 'row', ...attributes}, cell) : h('td', attributes, cell),
      );
    });
    body.append(row);
  }
  return h(
    'div',
    {class: 'table-scroll', tabindex: 0, role: 'region', 'aria-label': caption},
    h('table', {}, h('caption', {class: 'visually-hidden'}, caption), h('thead', {}, head), body),
  );
}

/** A titled part of a view. */
export function card(title: string, ...children: Child[]): HTMLElement {
  const id = uniqueId();
  return h('section', {class: 'card', 'aria-labelledby': id}, h('h2', {id}, title), ...children);
}

/** What opens when asked for. The content is made when it is first opened, and for print. */
export function details(summary: string, make: () => Child): HTMLDetailsElement {
  const element = h('details', {}, h('summary', {}, summary));
  element.addEventListener(
    'toggle',
    () => {
      const content = make();
      if (content) element.append(content instanceof Node ? content : String(content));
    },
    {once: true},
  );
  return element;
}

export interface Choice {
  value: string;
  label: string;
  disabled?: string;
}

/** Radio buttons that look like one control; `disabled` says why a choice cannot be taken. */
export function segmented(
  legend: string,
  choices: Choice[],
  chosen: string,
  onChange: (value: string) => void,
): HTMLElement {
  const name = uniqueId();
  const fieldset = h('fieldset', {class: 'segmented'}, h('legend', {}, legend));
  for (const choice of choices) {
    const input = h('input', {
      type: 'radio',
      name,
      value: choice.value,
      checked: choice.value === chosen,
      disabled: choice.disabled !== undefined,
      change: () => onChange(choice.value),
    });
    fieldset.append(h('label', {title: choice.disabled}, input, h('span', {}, choice.label)));
  }
  return fieldset;
}

export function select(
  label: string,
  choices: Choice[],
  chosen: string,
  onChange: (value: string) => void,
): HTMLElement {
  const element = h('select', {'aria-label': label, change: () => onChange(element.value)});
  for (const choice of choices) {
    element.append(
      h('option', {value: choice.value, selected: choice.value === chosen}, choice.label),
    );
  }
  return h('label', {class: 'field'}, h('span', {}, label), element);
}

/** A command or code with a button that copies it. */
export function copyable(text: string, what: string): HTMLElement {
  const button = h(
    'button',
    {
      type: 'button',
      class: 'quiet',
      'aria-label': `Copy ${what}`,
      click: () => {
        navigator.clipboard
          ?.writeText(text)
          .then(() => {
            button.textContent = 'Copied';
          })
          .catch(() => {
            button.textContent = 'Not permitted here';
          });
      },
    },
    'Copy',
  );
  return h('div', {class: 'copyable'}, h('pre', {tabindex: 0}, h('code', {}, text)), button);
}
