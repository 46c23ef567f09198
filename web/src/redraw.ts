// Calls that elements ask for, as long as they are part of the page.

export class Callbacks {
  private readonly entries = new Map<Element, () => void>();

  /** At most one per element. */
  add(element: Element, callback: () => void): void {
    this.entries.set(element, callback);
  }

  call(): void {
    for (const [element, callback] of this.entries) {
      if (element.isConnected) callback();
      else this.entries.delete(element);
    }
  }
}

const printing = new Callbacks();

/** Calls back before the page is printed. */
export function onPrint(element: Element, callback: () => void): void {
  printing.add(element, callback);
}

export function preparePrint(): void {
  printing.call();
}
