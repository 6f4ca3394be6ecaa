// A text to be taken along.
import { useState } from 'react';

export function Copy({ text, what = 'Copy' }: { text: string; what?: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), 2000);
  };
  // Without TLS browsers have no clipboard for pages: there the text is marked and copied by hand.
  if (!navigator.clipboard) return null;
  return (
    <button type="button" className="small" onClick={() => void copy()}>
      <span aria-live="polite">{copied ? 'Copied' : what}</span>
    </button>
  );
}

export function Snippet({ text }: { text: string }) {
  return (
    <div className="stack tight">
      <pre>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls sideways is reached by the keyboard too */}
        <code tabIndex={0}>{text}</code>
      </pre>
      <div>
        <Copy text={text} />
      </div>
    </div>
  );
}
