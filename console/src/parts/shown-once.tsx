// A secret that is shown only once.
import { useRef } from 'react';
import { Copy } from './copy.tsx';
import { Dialog } from './dialog.tsx';

interface ShownOnceProps {
  title: string;
  secret: string;
  /** Label of the copy button. */
  what: string;
  /** Purpose, unless it is obvious. */
  about?: string;
  onClose(): void;
}

export function ShownOnce({ title, secret, what, about, onClose }: ShownOnceProps) {
  const textElement = useRef<HTMLElement>(null);
  return (
    <Dialog title={title} onClose={onClose}>
      {about && <p>{about}</p>}
      <p>It is shown only once. Store it like other secrets.</p>
      <pre className="secret">
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways is reached by the keyboard too */}
        <code tabIndex={0} ref={textElement}>
          {secret}
        </code>
      </pre>
      <div className="row end">
        <Copy text={secret} what={`Copy the ${what}`} textElement={textElement} />
        <button type="button" className="main" onClick={onClose}>
          I have it
        </button>
      </div>
    </Dialog>
  );
}
