// Structure of a tagged PDF: maps marked content to headings, paragraphs, list items and table cells.
import type { PDFPageProxy, StructNode } from './pdfjs.ts';

export interface Element {
  role: 'heading' | 'paragraph' | 'item' | 'cell' | 'code';
  /** Level of the heading or list item. */
  level: number;
  /** Number of the element, ascending in reading order. */
  number: number;
  /** Row of the cell, and whether it is a header cell. */
  row?: number;
  header?: boolean;
}

const maxDepth = 500;

/** Elements by marked-content id; empty if the page has no structure. */
export async function elementsOf(page: PDFPageProxy): Promise<Map<string, Element>> {
  const elements = new Map<string, Element>();
  let tree: StructNode | null;
  try {
    tree = await page.getStructTree();
  } catch {
    return elements; // With a broken structure, the layout is used.
  }
  let count = 0;
  let row = 0;
  const visit = (node: StructNode, inside: Element | undefined, lists: number, depth: number): void => {
    if (depth > maxDepth) return;
    if (node.type === 'content' && node.id !== undefined) {
      if (inside) elements.set(node.id, inside);
      return;
    }
    const role = node.role ?? '';
    if (role === 'TR') row++;
    const deeper = role === 'L' ? lists + 1 : lists;
    const own = elementOf(role, inside, deeper, row);
    if (own) own.number = ++count;
    for (const child of node.children ?? []) visit(child, own ?? inside, deeper, depth + 1);
  };
  if (tree) visit(tree, undefined, 0, 0);
  return elements;
}

function elementOf(role: string, inside: Element | undefined, lists: number, row: number): Element | undefined {
  const level = /^H([1-6])$/.exec(role)?.[1];
  if (level) return { role: 'heading', level: Number(level), number: 0 };
  if (role === 'Title') return { role: 'heading', level: 1, number: 0 };
  if (role === 'H') return { role: 'heading', level: 3, number: 0 };
  if (role === 'LI') return { role: 'item', level: Math.max(1, lists), number: 0 };
  if (role === 'TD' || role === 'TH') return { role: 'cell', level: 0, number: 0, row, header: role === 'TH' };
  // A paragraph in an item or a cell belongs to it.
  if (inside?.role === 'item' || inside?.role === 'cell' || inside?.role === 'heading') return undefined;
  if (role === 'Code' && inside) return undefined;
  if (
    role === 'P' ||
    role === 'Caption' ||
    role === 'Note' ||
    role === 'TOCI' ||
    role === 'BlockQuote' ||
    role === 'Div'
  )
    return { role: 'paragraph', level: 0, number: 0 };
  return undefined;
}
