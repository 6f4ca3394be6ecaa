// Light, dark, or as the system is: remembered in this browser.
export type Look = 'system' | 'light' | 'dark';
const place = 'lorekeep.look';

export function currentLook(): Look {
  const kept = localStorage.getItem(place);
  return kept === 'light' || kept === 'dark' ? kept : 'system';
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
