// A conversation with one model or index: its turns, newest last, and the answer in progress. Turns are kept while other pages are
// shown, until the user signs out or begins anew.
import { createContext, useContext, useEffect, useRef, useState } from 'react';
import { type Output, type Piece, whenReady } from './answer-stream.ts';

/** A question to all targets: each time it is asked, another object. */
export interface Asked {
  question: string;
}

export interface Turn {
  question: string;
  output: Output;
}

export interface Message {
  role: 'user' | 'assistant';
  content: string;
}

export type Says = (choice: string, messages: Message[], signal: AbortSignal) => AsyncGenerator<Piece>;

interface Kept {
  turns: Turn[];
  /** The question of the last turn. */
  asked: Asked;
}

interface Conversations {
  /** Conversations by place on the page and target. */
  kept: Map<string, Kept>;
  beginAnew(): void;
}

export const ConversationsContext = createContext<Conversations | null>(null);

/** The conversations of a signed-in user, for the provider. */
export function useNewConversations(): Conversations {
  const [kept, setKept] = useState(() => new Map<string, Kept>());
  return { kept, beginAnew: () => setKept(new Map()) };
}

export function useConversations(): Conversations {
  const conversations = useContext(ConversationsContext);
  if (!conversations) throw new Error('Only pages of a signed-in user may use this.');
  return conversations;
}

export function useConversation(place: string, choice: string | undefined, asked: Asked | undefined, says: Says) {
  const { kept } = useConversations();
  const [turns, setTurns] = useState<Turn[]>([]);
  const running = useRef<AbortController>(null);
  const latest = useRef(says);
  latest.current = says;
  useEffect(() => {
    const name = `${place} ${choice}`;
    const { turns: earlier, asked: last } = kept.get(name) ?? { turns: [], asked: undefined };
    if (!asked || choice === undefined || asked === last) {
      setTurns(earlier);
      return;
    }
    const controller = new AbortController();
    running.current = controller;
    let now: Output = { text: '', state: 'speaking' };
    const show = (change: Partial<Output>) => {
      now = { ...now, ...change };
      const all = [...earlier, { question: asked.question, output: now }];
      setTurns(all);
      if (now.state !== 'speaking') kept.set(name, { turns: all, asked });
    };
    show({});
    (async () => {
      try {
        const { signal } = controller;
        const messages = [...asMessages(earlier), { role: 'user' as const, content: asked.question }];
        for await (const piece of whenReady(() => latest.current(choice, messages, signal), signal)) {
          signal.throwIfAborted();
          show({ ...piece, text: now.text + (piece.text ?? '') });
        }
        signal.throwIfAborted();
        show({ state: 'done' });
      } catch (error) {
        // This answer was superseded by a newer question or another page.
        if (running.current !== controller) return;
        show(controller.signal.aborted ? { state: 'stopped' } : { state: 'failed', error: error as Error });
      }
    })();
    return () => {
      running.current = null;
      controller.abort();
      if (now.state === 'speaking') show({ state: 'stopped' });
    };
  }, [kept, place, choice, asked]);
  return { turns, stop: () => running.current?.abort() };
}

/** Earlier turns as messages for the model, without failed and empty ones. */
export function asMessages(turns: Turn[]): Message[] {
  return turns.flatMap(({ question, output: { text, state } }) =>
    state === 'failed' || text.trim() === ''
      ? []
      : [
          { role: 'user' as const, content: question },
          { role: 'assistant' as const, content: text },
        ],
  );
}
