// Theme: light, dark, or that of the system; stored in this browser.
export type Look = 'system' | 'light' | 'dark';
const place = 'lorekeep.look';

export function currentLook(): Look {
  const saved = localStorage.getItem(place);
  return saved === 'light' || saved === 'dark' ? saved : 'system';
}

export function applyLook(look: Look = currentLook()): void {
  if (look === 'system') {
    localStorage.removeItem(place);
    delete document.documentElement.dataset.look;
  } else {
    localStorage.setItem(place, look);
    document.documentElement.dataset.look = look;
  }
}
