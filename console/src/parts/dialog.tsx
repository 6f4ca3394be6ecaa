// Modal dialog: the browser's own element, so that Escape closes it and the focus stays inside.
import { type ReactNode, useId, useLayoutEffect, useRef } from 'react';
import { useAction } from '../query.ts';
import { Problem } from './states.tsx';

interface DialogProps {
  title: string;
  onClose(): void;
  children: ReactNode;
  /** Lists of several columns. */
  wide?: boolean;
}

export function Dialog({ title, onClose, children, wide = false }: DialogProps) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  // The dialog is closed before its removal from the page, so that the browser can restore the focus.
  useLayoutEffect(() => {
    const own = dialog.current;
    const before = document.activeElement;
    own?.showModal();
    return () => {
      own?.close();
      if (before) focusTitleOnRemoval(before);
    };
  }, []);
  return (
    <dialog ref={dialog} className={wide ? 'wide' : ''} aria-labelledby={heading} onClose={onClose}>
      <div className="stack">
        <h2 id={heading}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}

/** Maximum time between the response to an action and the resulting change of the page. */
const maxWatchMs = 30_000;

/**
 * A pressed button may disappear by its effect, such as deleting its row. Then the focus moves to the title of the
 * page.
 */
function focusTitleOnRemoval(pressed: Element): void {
  const look = () => {
    if (pressed.isConnected) return false;
    if (document.activeElement === document.body) document.querySelector<HTMLElement>('h1')?.focus();
    return true;
  };
  if (look()) return;
  const watch = new MutationObserver(() => look() && watch.disconnect());
  watch.observe(document.body, { childList: true, subtree: true });
  setTimeout(() => watch.disconnect(), maxWatchMs);
}

interface ConfirmProps {
  title: string;
  /** Description of the consequences. */
  children: ReactNode;
  yes: string;
  onYes(): Promise<void>;
  onClose(): void;
}

export function Confirm({ title, children, yes, onYes, onClose }: ConfirmProps) {
  const { run, busy, error } = useAction(async () => {
    await onYes();
    onClose();
  });
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{children}</p>
      {error && <Problem error={error} />}
      <div className="row end">
        <button type="button" onClick={onClose}>
          Keep it
        </button>
        <button type="button" className="grave" disabled={busy} onClick={() => run()}>
          {yes}
        </button>
      </div>
    </Dialog>
  );
}
