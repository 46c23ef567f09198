// New content in the place of old: what was opened stays open, and what had the focus has it still.

function nameOf(element: Element): string {
  const part = element.closest('[data-side]')?.getAttribute('data-side') ?? '';
  const own = element.getAttribute('href') ?? element.getAttribute('aria-label');
  return `${part} ${element.tagName} ${own ?? element.textContent}`;
}

export function replaceKept(container: HTMLElement, content: HTMLElement[]): void {
  const opened = new Set(
    [...container.querySelectorAll('details[open] > summary')].map((each) => nameOf(each)),
  );
  const active = document.activeElement;
  const focused = active && container.contains(active) ? nameOf(active) : undefined;
  container.replaceChildren(...content);
  for (const summary of container.querySelectorAll('details > summary')) {
    if (opened.has(nameOf(summary))) (summary.parentElement as HTMLDetailsElement).open = true;
  }
  if (focused === undefined) return;
  const likely = container.querySelectorAll<HTMLElement>('a, button, summary, [tabindex]');
  [...likely].find((each) => nameOf(each) === focused)?.focus({preventScroll: true});
}
