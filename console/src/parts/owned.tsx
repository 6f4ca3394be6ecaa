// What one does with what is one's own: share it with all accounts, and delete it when that is meant.
import { type ReactNode, useState } from 'react';
import { useAction } from '../asked.ts';
import { Confirm } from './dialog.tsx';
import { Problem } from './states.tsx';

/** What stands inside says what is gone with it. */
export function Owned({
  what,
  shared,
  share,
  remove,
  children,
}: {
  what: string;
  shared: boolean;
  share(is_public: boolean): Promise<void>;
  remove(): Promise<void>;
  children: ReactNode;
}) {
  const sharing = useAction(share);
  const [removing, setRemoving] = useState(false);
  return (
    <>
      <div className="row">
        <button type="button" className="small" disabled={sharing.busy} onClick={() => sharing.run(!shared)}>
          {shared ? 'Share no longer' : 'Share with all accounts'}
        </button>
        <button type="button" className="small grave" onClick={() => setRemoving(true)}>
          Delete
        </button>
      </div>
      {sharing.error && <Problem error={sharing.error} />}
      {removing && (
        <Confirm title={`Delete this ${what}?`} yes="Delete it" onClose={() => setRemoving(false)} onYes={remove}>
          {children}
        </Confirm>
      )}
    </>
  );
}
