// Line chart over steps or time, as SVG with a text alternative.
export interface Line {
  name: string;
  points: [x: number, y: number][];
}

const width = 440;
const height = 190;
const left = 46;
const bottom = 26;
const top = 10;
const right = 12;
const strokes = ['one', 'two', 'three', 'four', 'five'];
/** Lines differ in colour and dash pattern; repeated colours get another dash pattern. */
const strokeOf = (at: number) => `${strokes[at % strokes.length]}${at < strokes.length ? '' : ' again'}`;

interface CurveProps {
  title: string;
  lines: Line[];
  across: string;
  /** Bounds of the vertical axis; by default those of the points. */
  from?: number;
  to?: number;
  label?(value: number): string;
  /** Labels of the ends of the horizontal axis, instead of the values. */
  ends?: [first: string, last: string];
}

export function Curve({ title, lines, across, from, to, label = formatValue, ends }: CurveProps) {
  const all = lines.flatMap(({ points }) => points);
  if (all.length === 0) return <NoCurve title={title} />;
  const xs = all.map(([x]) => x);
  const ys = all.map(([, y]) => y);
  const [x0, x1] = nonEmptyRange(Math.min(...xs), Math.max(...xs));
  const [y0, y1] = nonEmptyRange(from ?? Math.min(...ys), to ?? Math.max(...ys));
  const place = ([x, y]: [number, number]) =>
    `${(left + ((x - x0) / (x1 - x0)) * (width - left - right)).toFixed(1)},${(height - bottom - ((y - y0) / (y1 - y0)) * (height - bottom - top)).toFixed(1)}`;
  const marks = [0, 0.5, 1].map((share) => y0 + share * (y1 - y0));
  const summary = lines
    .map(({ name, points }) => `${name} goes from ${label(points[0]?.[1] ?? 0)} to ${label(points.at(-1)?.[1] ?? 0)}`)
    .join('; ');
  return (
    <figure className="stack tight">
      <figcaption className="row apart">
        <h3>{title}</h3>
        {lines.length > 1 && (
          <span className="row">
            {lines.map(({ name }, at) => (
              <span className="hint" key={name}>
                <svg className={`key ${strokeOf(at)}`} viewBox="0 0 36 4" aria-hidden="true">
                  <line className="line" x1="1" x2="35" y1="2" y2="2" />
                </svg>
                {name}
              </span>
            ))}
          </span>
        )}
      </figcaption>
      <svg className="chart" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`${title}: ${summary}.`}>
        {marks.map((mark) => {
          const y = Number(place([x0, mark]).split(',')[1]);
          return (
            <g key={mark}>
              <line className="grid" x1={left} x2={width - right} y1={y} y2={y} />
              <text x={left - 6} y={y + 4} textAnchor="end">
                {label(mark)}
              </text>
            </g>
          );
        })}
        <text x={left} y={height - 8}>
          {ends ? ends[0] : formatValue(x0)}
        </text>
        <text x={width - right} y={height - 8} textAnchor="end">
          {ends ? ends[1] : `${across} ${formatValue(x1)}`}
        </text>
        {lines.map(({ name, points }, at) => (
          <g key={name}>
            <polyline className={`line ${strokeOf(at)}`} points={points.map(place).join(' ')} />
            {points.length === 1 && (
              <circle
                className={`line ${strokeOf(at)}`}
                r="3"
                cx={place(points[0]!).split(',')[0]}
                cy={place(points[0]!).split(',')[1]}
              />
            )}
          </g>
        ))}
      </svg>
    </figure>
  );
}

/** Placeholder of the same height, so that the layout does not shift. */
function NoCurve({ title }: { title: string }) {
  const words = 'It begins with the first wave of experts.';
  return (
    <figure className="stack tight">
      <figcaption className="row apart">
        <h3>{title}</h3>
      </figcaption>
      <svg className="chart" viewBox={`0 0 ${width} ${height}`} role="img" aria-label={`${title}: ${words}`}>
        <line className="grid" x1={left} x2={width - right} y1={height - bottom} y2={height - bottom} />
        <text x={width / 2} y={height / 2} textAnchor="middle">
          {words}
        </text>
      </svg>
    </figure>
  );
}

/** Ensures a range greater than 0 if all values are equal. */
const nonEmptyRange = (low: number, high: number): [number, number] =>
  high > low ? [low, high] : [low - (low === 0 ? 0 : Math.abs(low) / 2), low + 1];
const formatValue = (value: number) =>
  Math.abs(value) >= 100 ? Math.round(value).toLocaleString('en') : String(Number(value.toPrecision(2)));
