// Displays a text with its line breaks, in its own direction of writing, and code in a monospaced font.
import { Fragment } from 'react';
import { textParts } from './text-parts.ts';

export function FormattedText({ text }: { text: string }) {
  return textParts(text).map(({ code, text: part }, place) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a text stay in their order
    <Fragment key={place}>
      {code ? (
        <code className="code" dir="ltr">
          {part}
        </code>
      ) : (
        <span className="lines" dir="auto">
          {part.includes('\n') ? part.replace(/^\n+|\n+$/g, '') : part}
        </span>
      )}
    </Fragment>
  ));
}
