// A passage with where it stands: the file, the page, the headings above it, and its place on the page.
import type { Citation } from '@lorekeep/client';
import { useEffect, useRef, useState } from 'react';
import { type Drawing, pdfPage } from '../pdf.ts';
import { percent } from '../words.ts';

interface PassageProps {
  citation: Citation;
  /** The index whose file it is of. */
  index: number | string;
  open?: boolean;
}

export function Passage({ citation, index, open = false }: PassageProps) {
  const { file, part, page, last_page, line, headings, text, score } = citation;
  const [shown, setShown] = useState(open);
  const pages =
    page === null ? '' : last_page !== null && last_page !== page ? `pages ${page}–${last_page}` : `page ${page}`;
  const place = [part, pages, page === null && line !== null ? `line ${line}` : ''].filter(Boolean).join(', ');
  return (
    <details className="passage" open={open} onToggle={(event) => setShown(event.currentTarget.open)}>
      <summary>
        {file}
        {place && `, ${place}`} <span className="hint">{percent(Math.max(0, Math.min(1, score)))} similar</span>
      </summary>
      {headings.length > 0 && <p className="hint">{headings.join(' › ')}</p>}
      <blockquote>{text}</blockquote>
      {shown && page !== null && citation.boxes && citation.boxes.length > 0 && (
        <OnPage citation={citation} page={page} index={index} />
      )}
    </details>
  );
}

/** A page of A4 in points, until the page itself is there. */
const sheet = { width: 595, height: 842 };

/** The page with the passage marked. Of a file inside a file, and where the page cannot be drawn, the marks alone. */
function OnPage({ citation, page, index }: { citation: Citation; page: number; index: number | string }) {
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
      // The text stands above, and the marks say where: a picture less is no failure.
      () => {},
    );
    return () => {
      left = true;
    };
  }, [drawable, index, file_id, page]);
  useEffect(() => {
    if (drawing && canvas.current) drawing.draw(canvas.current).catch(() => setDrawing(undefined));
  }, [drawing]);
  const width = drawing?.width ?? Math.max(sheet.width, ...boxes.map((box) => box.x + box.width));
  const height = drawing?.height ?? Math.max(sheet.height, ...boxes.map((box) => box.y + box.height));
  return (
    <div className="sheet" style={{ aspectRatio: `${width} / ${height}` }}>
      {drawing && <canvas ref={canvas} />}
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`Where the passage stands on page ${page}`}>
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
