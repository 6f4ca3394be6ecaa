// A conversation with one model or index: its turns, newest last, and the answer in progress.
import { useEffect, useRef, useState } from 'react';
import { type Output, type Piece, whenReady } from './answer-stream.ts';

/** A question to all targets. A new thread starts without earlier turns. */
export interface Asked {
  question: string;
  round: number;
  thread: number;
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

export function useConversation(choice: string | undefined, asked: Asked | undefined, says: Says) {
  const [turns, setTurns] = useState<Turn[]>([]);
  const running = useRef<AbortController>(null);
  const latest = useRef(says);
  latest.current = says;
  /** Finished turns, and the thread that they belong to. */
  const over = useRef<{ of: string; turns: Turn[] }>({ of: '', turns: [] });
  useEffect(() => {
    if (!asked || choice === undefined) {
      setTurns([]);
      return;
    }
    const of = `${asked.thread} ${choice}`;
    const earlier = over.current.of === of ? over.current.turns : [];
    const controller = new AbortController();
    running.current = controller;
    let now: Output = { text: '', state: 'speaking' };
    const show = (change: Partial<Output>) => {
      now = { ...now, ...change };
      const all = [...earlier, { question: asked.question, output: now }];
      setTurns(all);
      if (now.state !== 'speaking') over.current = { of, turns: all };
    };
    show({});
    (async () => {
      try {
        const { signal } = controller;
        const messages = [...asMessages(earlier), { role: 'user' as const, content: asked.question }];
        for await (const piece of whenReady(() => latest.current(choice, messages, signal), signal))
          show({ ...piece, text: now.text + (piece.text ?? '') });
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
    };
  }, [choice, asked]);
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
