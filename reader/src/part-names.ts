// Sanitizes names of files inside of files for display. They are never used as paths; still, no source should be shown as
// "../../etc/passwd".

export function shownPart(name: string): string {
  const names = name
    .toWellFormed()
    .replace(/[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu, '')
    .split(/[\\/]+/)
    .filter((part) => part !== '' && part !== '.' && part !== '..' && !/^[A-Za-z]:$/.test(part));
  return names.join('/').slice(-200) || 'unnamed';
}

/** Makes equal names unique by a number. */
export function distinct(name: string, taken: Set<string>): string {
  let found = name;
  for (let count = 2; taken.has(found); count++) found = `${name} (${count})`;
  taken.add(found);
  return found;
}
