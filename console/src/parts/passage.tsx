// Display of a passage with its file, page, headings, and its position on the page.
import type { Citation } from '@lorekeep/client';
import { useEffect, useRef, useState } from 'react';
import { percent } from '../format.ts';
import { type Drawing, pdfPage } from '../pdf.ts';
import { routeAddress } from '../route.ts';

/** A passage without file, score and metadata, as in a list of the passages of one file. */
type Stored = Omit<Citation, 'file' | 'file_id' | 'score' | 'metadata'>;

/** The passages of a file from a number on. */
export function passageAddress(index: number | string, file: number | string, from = 0): string {
  return `${routeAddress('documents', index, 'files', file)}?from=${Math.max(0, from)}`;
}

function placeOf({ part, page, last_page, line }: Stored): string {
  const pages =
    page === null ? '' : last_page !== null && last_page !== page ? `pages ${page}–${last_page}` : `page ${page}`;
  return [part, pages, page === null && line !== null ? `line ${line}` : ''].filter(Boolean).join(', ');
}

/** Place of a passage in one line: "handbook.pdf, page 2, Parking". */
export const sourceOf = (citation: Citation): string =>
  [citation.file, placeOf(citation), citation.heading].filter(Boolean).join(', ');

/** Number of passages shown before a found passage. */
const passagesBefore = 2;

interface PassageProps {
  citation: Citation;
  /** The index that the file belongs to. */
  index: number | string;
  open?: boolean;
  /** Similarity threshold; the score is formatted so that its side is visible. */
  threshold?: number | null;
}

export function Passage({ citation, index, open = false, threshold }: PassageProps) {
  const { file, file_id, passage, page, score } = citation;
  const [isOpen, setIsOpen] = useState(open);
  const place = placeOf(citation);
  return (
    <details className="passage" open={open} onToggle={(event) => setIsOpen(event.currentTarget.open)}>
      <summary>
        {file}
        {place && `, ${place}`}{' '}
        <span className="hint">{percent(Math.max(0, Math.min(1, score)), threshold)} similar</span>
      </summary>
      <Words of={citation} />
      <p className="hint">
        <a href={`${passageAddress(index, file_id, passage - passagesBefore)}&cited=${passage}`}>
          Read it in its place<span className="seen-only"> in {file}</span>
        </a>
      </p>
      {isOpen && page !== null && citation.boxes && citation.boxes.length > 0 && (
        <OnPage citation={citation} page={page} index={index} />
      )}
    </details>
  );
}

interface InPlaceProps {
  passage: Stored;
  file: { id: number; name: string };
  index: number | string;
}

/** A passage of a file, with its page rendered on demand. */
export function PassageInPlace({ passage, file, index }: InPlaceProps) {
  const [isOpen, setIsOpen] = useState(false);
  const { page, boxes } = passage;
  return (
    <div className="passage">
      <p className="hint">{[`Passage ${passage.passage}`, placeOf(passage)].filter(Boolean).join(', ')}</p>
      <Words of={passage} />
      {page !== null && boxes && boxes.length > 0 && (
        <details onToggle={(event) => setIsOpen(event.currentTarget.open)}>
          <summary>
            Where it stands<span className="seen-only"> on page {page}</span>
          </summary>
          {isOpen && <OnPage citation={{ ...passage, file: file.name, file_id: file.id }} page={page} index={index} />}
        </details>
      )}
    </div>
  );
}

function Words({ of: { headings, text, start, quoted } }: { of: Stored }) {
  const [from, until] = quoted ? [quoted.start - start, quoted.end - start] : [0, 0];
  return (
    <>
      {headings.length > 0 && (
        <p className="hint" dir="auto">
          {headings.join(' › ')}
        </p>
      )}
      <blockquote dir="auto">
        {text.slice(0, from)}
        {quoted && <mark>{text.slice(from, until)}</mark>}
        {text.slice(until)}
      </blockquote>
    </>
  );
}

/** A4 in points, used until the page is loaded. */
const a4Size = { width: 595, height: 842 };

interface OnPageProps {
  citation: Pick<Citation, 'file' | 'file_id' | 'part' | 'boxes'>;
  page: number;
  index: number | string;
}

/** The page with the passage highlighted. For nested files, and if the page cannot be drawn, only the highlights. */
function OnPage({ citation, page, index }: OnPageProps) {
  const { file, file_id, part } = citation;
  const boxes = (citation.boxes ?? []).filter((box) => box.page === page);
  const [drawing, setDrawing] = useState<Drawing>();
  const canvas = useRef<HTMLCanvasElement>(null);
  const drawable = /\.pdf$/i.test(file) && !part;
  useEffect(() => {
    if (!drawable) return;
    let left = false;
    pdfPage(`/v1/indexes/${index}/files/${file_id}/download`, page).then(
      (found) => !left && setDrawing(found),
      // The text is visible anyway, so a missing picture is not an error.
      () => {},
    );
    return () => {
      left = true;
    };
  }, [drawable, index, file_id, page]);
  useEffect(() => {
    if (drawing && canvas.current) drawing.draw(canvas.current).catch(() => setDrawing(undefined));
  }, [drawing]);
  const width = drawing?.width ?? Math.max(a4Size.width, ...boxes.map((box) => box.x + box.width));
  const height = drawing?.height ?? Math.max(a4Size.height, ...boxes.map((box) => box.y + box.height));
  return (
    <div className="sheet" style={{ aspectRatio: `${width} / ${height}` }}>
      {drawing && <canvas ref={canvas} />}
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`Position of the passage on page ${page}`}>
        {boxes.map((box) => (
          <rect
            key={`${box.x} ${box.y}`}
            className="spot"
            x={box.x}
            y={box.y}
            width={box.width}
            height={box.height}
            rx="3"
          />
        ))}
      </svg>
    </div>
  );
}
