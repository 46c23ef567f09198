// Light or dark: as the system prefers, until the reader says otherwise.

import {Callbacks} from './redraw';

type Theme = 'light' | 'dark';

const kStorageKey = 'cyclescope-theme';
const listeners = new Callbacks();
const prefersDark = window.matchMedia('(prefers-color-scheme: dark)');
let beforePrint: Theme | undefined;

function stored(): Theme | undefined {
  // A page opened from a file may be denied storage.
  try {
    const value = localStorage.getItem(kStorageKey);
    return value === 'light' || value === 'dark' ? value : undefined;
  } catch {
    return undefined;
  }
}

function apply(theme: Theme): void {
  if (document.documentElement.dataset.theme === theme) return;
  document.documentElement.dataset.theme = theme;
  listeners.call();
}

export function isDark(): boolean {
  return document.documentElement.dataset.theme === 'dark';
}

export function startTheme(): void {
  apply(stored() ?? (prefersDark.matches ? 'dark' : 'light'));
  prefersDark.addEventListener('change', () => {
    if (!stored()) apply(prefersDark.matches ? 'dark' : 'light');
  });
}

export function toggleTheme(): void {
  const theme = isDark() ? 'light' : 'dark';
  try {
    localStorage.setItem(kStorageKey, theme);
  } catch {
    // The choice then holds for this page only.
  }
  apply(theme);
}

/** Paper is light. */
export function usePaperTheme(): void {
  beforePrint = isDark() ? 'dark' : 'light';
  apply('light');
}

export function leavePaperTheme(): void {
  if (beforePrint) apply(beforePrint);
}

/** Calls back whenever colours must be drawn anew. */
export function onThemeChange(element: Element, callback: () => void): void {
  listeners.add(element, callback);
}

/** A colour of the style sheet, for what is drawn on a canvas. */
export function styleColor(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}
