// Theme: light, dark, or the theme of the system; stored in this browser.
export type Look = 'system' | 'light' | 'dark';
const storageKey = 'lorekeep.look';

export function currentLook(): Look {
  const saved = localStorage.getItem(storageKey);
  return saved === 'light' || saved === 'dark' ? saved : 'system';
}

export function applyLook(look: Look = currentLook()): void {
  if (look === 'system') {
    localStorage.removeItem(storageKey);
    delete document.documentElement.dataset.look;
  } else {
    localStorage.setItem(storageKey, look);
    document.documentElement.dataset.look = look;
  }
}
