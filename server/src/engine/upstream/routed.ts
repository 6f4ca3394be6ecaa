// Engine that routes some models to upstream engines: the child process renders their prompts, and the upstream answers. Tuned models on
// such a base recite and combine facts in the child; text of the base comes from upstream. The child does everything else.
import type { FastifyBaseLogger } from 'fastify';
import type { UpstreamSettings } from '../../config/upstreams.ts';
import type { Engine } from '../engine.ts';
import { last } from '../last.ts';
import type {
  Delta,
  Embedding,
  End,
  EngineStatus,
  Generation,
  Loaded,
  Loading,
  LoadProgress,
  Vectors,
} from '../protocol.ts';
import { Upstream } from './upstream.ts';

export const upstreamPrefix = 'upstream:';

export interface UpstreamState {
  name: string;
  state: string;
  notes: string[];
  counts: Upstream['counts'];
}

const checkIntervalMs = 30_000;
const readyPollMs = 1_000;

export class RoutedEngine implements Engine {
  readonly #child: Engine;
  readonly #upstreams = new Map<string, { upstream: Upstream; folder: string }>();
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;

  /** `localFolder` returns the folder on this machine for a model's name, whether it exists or not. */
  constructor(
    child: Engine,
    settings: readonly UpstreamSettings[],
    localFolder: (name: string) => string,
    log: FastifyBaseLogger,
  ) {
    this.#child = child;
    for (const one of settings) {
      const folder = one.folder ?? localFolder(one.name);
      const render = async (prompt: Pick<Generation, 'prompt' | 'messages'>) =>
        (await last(child.generate({ model: folder, handover: true, logprobs: 0, ...prompt }))).handed!;
      const known = { folder, upstream: new Upstream(one, render, log) };
      this.#upstreams.set(upstreamPrefix + one.name, known);
      // A tuned model refers to its base by folder.
      this.#upstreams.set(localFolder(one.name), known);
    }
    this.#watch(readyPollMs);
  }

  states(): UpstreamState[] {
    return [...this.#upstreams]
      .filter(([key]) => key.startsWith(upstreamPrefix))
      .map(([, { upstream }]) => ({
        name: upstream.settings.name,
        state: upstream.state(),
        notes: upstream.notes,
        counts: upstream.counts,
      }));
  }

  /** Checks all upstreams repeatedly. Waits for the child, which renders the prompts of the checks. */
  #watch(milliseconds: number): void {
    if (this.#stopped) return;
    this.#timer = setTimeout(async () => {
      const isReady = this.#child.unready() === undefined;
      if (isReady)
        await Promise.all(
          [...new Set(this.#upstreams.values())].map(async ({ upstream }) => await upstream.check().catch(() => {})),
        );
      this.#watch(isReady ? checkIntervalMs : readyPollMs);
    }, milliseconds);
    this.#timer.unref();
  }

  async *generate(request: Generation, signal?: AbortSignal): AsyncGenerator<Delta, End> {
    const known = this.#upstreams.get(request.base ?? request.model);
    if (!known) return yield* this.#child.generate(request, signal);
    const { upstream, folder } = known;
    const asked = { ...request, handover: true, ...(!request.base && { model: folder }) };
    const decided = yield* this.#child.generate(asked, signal);
    if (!decided.handed) return decided;
    if (!decided.handed.held)
      return { ...(yield* upstream.generate(decided.handed, request, signal)), ...memoryOf(decided) };
    // The child verifies an answer from facts before any of it is sent to the caller.
    const written = await last(upstream.generate(decided.handed, { ...request, stream: false }, signal));
    if (written.finish_reason === 'cancelled') return { ...written, ...memoryOf(decided) };
    const reviewed = yield* this.#child.generate({ ...asked, written: written.text }, signal);
    if (!reviewed.handed) return { ...reviewed, usage: sum(reviewed.usage, written.usage) };
    const end = yield* upstream.generate(reviewed.handed, request, signal);
    return { ...end, ...memoryOf(reviewed), usage: sum(end.usage, written.usage) };
  }

  async load(request: Loading, onProgress?: (progress: LoadProgress) => void): Promise<Loaded> {
    const known = this.#upstreams.get(request.base ?? request.model);
    if (!known || request.kind === 'embed') return await this.#child.load(request, onProgress);
    const { context = Number.MAX_SAFE_INTEGER } = await known.upstream.ready();
    if (request.base) {
      const loaded = await this.#child.load(request, onProgress);
      return { ...loaded, context: Math.min(loaded.context, context) };
    }
    const { context: own } = (
      await last(this.#child.generate({ model: known.folder, handover: true, logprobs: 0, prompt: 'a' }))
    ).handed!;
    return {
      ...{ type: 'loaded', id: '', model: request.model, kind: 'generate', family: 'upstream', chat: true },
      ...{ context: Math.min(own, context), parameters: 0, bytes: 0, dtype: '' },
    };
  }

  async embed(request: Embedding, signal?: AbortSignal): Promise<Vectors> {
    return await this.#child.embed(request, signal);
  }

  async unload(model: string): Promise<void> {
    await this.#child.unload(model);
  }

  async status(): Promise<EngineStatus> {
    return await this.#child.status();
  }

  unready(): string | undefined {
    return this.#child.unready();
  }

  isSilent(): boolean {
    return this.#child.isSilent();
  }

  isLost(): boolean {
    return this.#child.isLost();
  }

  embedder(): string | undefined {
    return this.#child.embedder();
  }

  gpus(): number | undefined {
    return this.#child.gpus();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await this.#child.stop();
  }
}

const memoryOf = ({ memory }: End) => (memory ? { memory } : {});

const sum = (a: End['usage'], b: End['usage']): End['usage'] => ({
  prompt_tokens: a.prompt_tokens + b.prompt_tokens,
  cached_tokens: a.cached_tokens + b.cached_tokens,
  completion_tokens: a.completion_tokens + b.completion_tokens,
});
