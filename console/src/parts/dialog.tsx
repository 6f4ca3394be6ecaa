// A question in front of the page: the browser's own dialog, so that Escape closes it and the focus stays in it.
import { type ReactNode, useEffect, useId, useRef } from 'react';
import { useAction } from '../asked.ts';
import { Problem } from './states.tsx';

export function Dialog({ title, onClose, children }: { title: string; onClose(): void; children: ReactNode }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useEffect(() => {
    const own = dialog.current;
    own?.showModal();
    return () => own?.close();
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby={heading} onClose={onClose}>
      <div className="stack">
        <h2 id={heading}>{title}</h2>
        {children}
      </div>
    </dialog>
  );
}

interface ConfirmProps {
  title: string;
  /** What happens then. */
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
