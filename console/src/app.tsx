// The console: sign-in, the shell around every page, and the routing of pages.
import { type ReactNode, useEffect, useState } from 'react';
import { AccountPage } from './pages/account.tsx';
import { AccountsPage } from './pages/accounts.tsx';
import { AuditPage } from './pages/audit.tsx';
import { ClusterPage } from './pages/cluster.tsx';
import { DatasetPage } from './pages/dataset.tsx';
import { DatasetsPage } from './pages/datasets.tsx';
import { FilePage } from './pages/document-file.tsx';
import { IndexPage } from './pages/document-index.tsx';
import { DocumentsPage } from './pages/documents.tsx';
import { EvaluationPage } from './pages/evaluation.tsx';
import { EvaluationsPage } from './pages/evaluations.tsx';
import { JobPage } from './pages/job.tsx';
import { KeysPage } from './pages/keys.tsx';
import { MemoriesPage } from './pages/memories.tsx';
import { MemoryPage } from './pages/memory.tsx';
import { ModelPage } from './pages/model.tsx';
import { ModelsPage } from './pages/models.tsx';
import { NewEvaluationPage } from './pages/new-evaluation.tsx';
import { NewJobPage } from './pages/new-job.tsx';
import { PlaygroundPage } from './pages/playground.tsx';
import { ProposalsPage } from './pages/proposals.tsx';
import { SignInPages } from './pages/sign-in.tsx';
import { StartPage, startKept } from './pages/start.tsx';
import { TuningPage } from './pages/tuning.tsx';
import { UsagePage } from './pages/usage.tsx';
import { WebhookPage } from './pages/webhook.tsx';
import { WebhooksPage } from './pages/webhooks.tsx';
import { ConversationsContext, useNewConversations } from './parts/conversation.ts';
import { EngineBar } from './parts/engine-bar.tsx';
import { Mark } from './parts/mark.tsx';
import { Page } from './parts/page.tsx';
import { Empty } from './parts/states.tsx';
import { type Route, routeAddress, useRoute } from './route.ts';
import { SessionGate, useSession } from './session.tsx';
import { useStoredState } from './stored-state.ts';

export function App() {
  return (
    <SessionGate closed={(enter) => <SignInPages enter={enter} />}>
      <Shell />
    </SessionGate>
  );
}

const mainLinks = [
  ['start', 'Start'],
  ['playground', 'Playground'],
  ['datasets', 'Datasets'],
  ['tuning', 'Tuning'],
  ['documents', 'Documents'],
  ['evaluations', 'Evaluations'],
  ['models', 'Models'],
  ['memories', 'Memories'],
] as const;
const accessLinks = [
  ['keys', 'Keys'],
  ['webhooks', 'Webhooks'],
  ['cluster', 'Cluster'],
  ['usage', 'Usage'],
  ['audit', 'Audit log'],
] as const;

function Shell() {
  const place = useRoute();
  const { session } = useSession();
  const [open, setOpen] = useState(false);
  const conversations = useNewConversations();
  const [started] = useStoredState(startKept, false);
  // After the first steps the playground is the home page.
  const home = started ? 'playground' : 'start';
  const { path } = place;
  const first = path[0] === undefined || path[0] === 'welcome' ? home : path[0];
  const address = `${place.path.join('/')}?${place.query}`;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the menu closes when the page changes
  useEffect(() => setOpen(false), [address]);
  const link = ([path, name]: readonly [string, string]) => (
    <li key={path}>
      <a href={routeAddress(path)} {...(first === path && { 'aria-current': 'page' as const })}>
        {name}
      </a>
    </li>
  );
  return (
    <div className="shell">
      <button type="button" className="skip" onClick={() => document.getElementById('content')?.focus()}>
        To the content
      </button>
      <header className={open ? 'bar open' : 'bar'}>
        <div className="top">
          <a className="brand" href="#/">
            <Mark /> Lorekeep
          </a>
          <button type="button" className="menu small" aria-expanded={open} onClick={() => setOpen(!open)}>
            Menu
          </button>
        </div>
        <nav aria-label="Pages">
          <ul>{mainLinks.map(link)}</ul>
          <h2>Access</h2>
          <ul>
            {accessLinks.map(link)}
            {session.account.role === 'operator' && link(['accounts', 'Accounts'])}
            {link(['account', 'You'])}
          </ul>
        </nav>
        <div className="foot">
          <span>
            Signed in as <strong>{session.account.name}</strong>
          </span>
          <a href="/docs">Every call of the API</a>
        </div>
      </header>
      <main id="content" tabIndex={-1} key={address}>
        <ConversationsContext.Provider value={conversations}>
          <PageAt place={{ ...place, path: [first, ...path.slice(1)] }} />
        </ConversationsContext.Provider>
      </main>
      <EngineBar />
    </div>
  );
}

function PageAt({ place }: { place: Route }): ReactNode {
  const [first, second, third, fourth] = place.path;
  switch (first) {
    case 'start':
      return <StartPage />;
    case 'playground':
      return <PlaygroundPage query={place.query} />;
    case 'datasets':
      return second ? <DatasetPage id={second} query={place.query} /> : <DatasetsPage />;
    case 'tuning':
      if (second === 'new') return <NewJobPage query={place.query} />;
      return second ? <JobPage id={second} /> : <TuningPage />;
    case 'documents':
      if (second && third === 'files' && fourth) return <FilePage index={second} file={fourth} query={place.query} />;
      return second ? <IndexPage id={second} /> : <DocumentsPage />;
    case 'evaluations':
      if (second === 'new') return <NewEvaluationPage query={place.query} />;
      return second ? <EvaluationPage id={second} /> : <EvaluationsPage />;
    case 'models':
      return second ? <ModelPage name={second} /> : <ModelsPage />;
    case 'memories':
      if (second && third === 'proposals') return <ProposalsPage name={second} />;
      return second ? <MemoryPage name={second} /> : <MemoriesPage />;
    case 'keys':
      return <KeysPage />;
    case 'webhooks':
      return second ? <WebhookPage id={second} /> : <WebhooksPage />;
    case 'cluster':
      return <ClusterPage />;
    case 'usage':
      return <UsagePage />;
    case 'audit':
      return <AuditPage />;
    case 'accounts':
      return <AccountsPage />;
    case 'account':
      return <AccountPage />;
    default:
      return (
        <Page title="There is no such page">
          <Empty title="Nothing here" action={<a href={routeAddress('playground')}>To the playground</a>}>
            The address may be old, or was not copied completely.
          </Empty>
        </Page>
      );
  }
}
