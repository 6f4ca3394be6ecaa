// Theme: light, dark, or the theme of the system; stored in this browser.
export type Theme = 'system' | 'light' | 'dark';
const storageKey = 'lorekeep.theme';

export function currentTheme(): Theme {
  const saved = localStorage.getItem(storageKey);
  return saved === 'light' || saved === 'dark' ? saved : 'system';
}

export function applyTheme(theme: Theme = currentTheme()): void {
  if (theme === 'system') {
    localStorage.removeItem(storageKey);
    delete document.documentElement.dataset.theme;
  } else {
    localStorage.setItem(storageKey, theme);
    document.documentElement.dataset.theme = theme;
  }
}
