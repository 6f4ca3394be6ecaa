// Actions on own objects: share with all accounts, and delete after a confirmation.
import { type ReactNode, useState } from 'react';
import { useAction } from '../query.ts';
import { Confirm } from './dialog.tsx';
import { Problem } from './states.tsx';

/** The children describe what is lost with the object. */
export function OwnerActions({
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
