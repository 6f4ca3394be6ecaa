// Formats page numbers for messages: "pages 1, 3 to 7 and 9".

export function pageNumbers(pages: number[]): string {
  const runs: string[] = [];
  for (let at = 0; at < pages.length; at++) {
    const from = pages[at]!;
    while (pages[at + 1] === pages[at]! + 1) at++;
    runs.push(pages[at] === from ? `${from}` : `${from} to ${pages[at]}`);
  }
  const listed = runs.length > 20 ? [...runs.slice(0, 20), `${runs.length - 20} more places`] : runs;
  const last = listed.pop();
  return `${pages.length === 1 ? 'page' : 'pages'} ${listed.length > 0 ? `${listed.join(', ')} and ` : ''}${last}`;
}
