// Note that the shipped base is tiny, shown wherever it can be chosen.
import { routeAddress } from '../route.ts';

export const shipped = 'lorekeep/quill';

export function TinyBase({ chosen }: { chosen: string | null | undefined }) {
  if (chosen !== shipped) return null;
  return (
    <p className="hint">
      {shipped} is a tiny model for trying things out: it recalls what it was taught, and knows and reasons little
      besides. <a href={routeAddress('models')}>Take a real one</a>.
    </p>
  );
}
