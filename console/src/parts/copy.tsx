// A text with a copy button.
import { type RefObject, useRef, useState } from 'react';

interface CopyProps {
  text: string;
  what?: string;
  /** Element that holds the text. */
  textElement: RefObject<HTMLElement | null>;
}

export function Copy({ text, what = 'Copy', textElement }: CopyProps) {
  const [status, setStatus] = useState('');
  const copy = async () => {
    setStatus((await copyText(text, textElement.current)) ? 'Copied' : 'Marked: copy it with Ctrl and C');
    setTimeout(() => setStatus(''), 2000);
  };
  return (
    <button type="button" className="small" onClick={() => void copy()}>
      <span aria-live="polite">{status || what}</span>
    </button>
  );
}

/** Without TLS browsers provide no clipboard API; then the text is selected and copied by the old command. */
async function copyText(text: string, element: HTMLElement | null): Promise<boolean> {
  if (navigator.clipboard)
    return await navigator.clipboard.writeText(text).then(
      () => true,
      () => copySelected(element),
    );
  return copySelected(element);
}

function copySelected(element: HTMLElement | null): boolean {
  if (element) getSelection()?.selectAllChildren(element);
  return document.execCommand('copy');
}

export function Snippet({ text }: { text: string }) {
  const textElement = useRef<HTMLElement>(null);
  return (
    <div className="stack tight">
      <pre>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways is reached by the keyboard too */}
        <code tabIndex={0} ref={textElement}>
          {text}
        </code>
      </pre>
      <div>
        <Copy text={text} textElement={textElement} />
      </div>
    </div>
  );
}
