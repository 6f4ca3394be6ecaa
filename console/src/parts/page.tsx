// Layout of a page: title, purpose, actions and content.
import { type ReactNode, useEffect, useRef } from 'react';

interface PageProps {
  title: string;
  lead?: ReactNode;
  /** Parent page. */
  above?: { name: string; address: string };
  actions?: ReactNode;
  children: ReactNode;
}

/** Title, which gets the focus when the page changes, so that screen readers announce it. */
export function Page({ title, lead, above, actions, children }: PageProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Lorekeep`;
  }, [title]);
  useEffect(() => {
    heading.current?.focus({ preventScroll: true });
    scrollTo(0, 0);
  }, []);
  return (
    <div className="page">
      <div className="head">
        <div>
          {above && (
            <a className="crumb" href={above.address}>
              ← {above.name}
            </a>
          )}
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {lead && <p className="lead">{lead}</p>}
        </div>
        {actions && <div className="row">{actions}</div>}
      </div>
      {children}
    </div>
  );
}

export function Card({ title, children, flush = false }: { title?: string; children: ReactNode; flush?: boolean }) {
  return (
    <section className={flush ? 'card flush' : 'card stack'} {...(title && { 'aria-label': title })}>
      {title && !flush && <h2>{title}</h2>}
      {children}
    </section>
  );
}

/** Figures with labels. */
export function Facts({ of, big = false }: { of: [name: string, value: ReactNode][]; big?: boolean }) {
  return (
    <dl className="facts">
      {of.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd className={big ? 'big' : ''}>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
