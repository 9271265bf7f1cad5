/**
 * A local chain in its own Node process, as a scoped resource. It ends with its scope, after it has written its state.
 * It also ends with its parent process, even when that is killed (Guard.ts). A family provides the program and the way
 * to identify the chain.
 */
import { Effect, Schedule, Schema } from "effect"
import type { Scope } from "effect"
import { resolve } from "node:path"
import { ended, spawnGuarded } from "./Guard.ts"
import { isFree } from "./Port.ts"

export interface ProcessFault {
  readonly kind: "port-taken" | "not-started" | "wrong-chain" | "died"
  readonly message: string
}

export interface NodeProcessOptions<E> {
  /** The chain's name in sentences. */
  readonly name: string
  readonly port: number
  readonly program: string
  readonly args: ReadonlyArray<string>
  /** The JSON-RPC question, its path, and the answer that identifies the chain. */
  readonly known: {
    readonly by: string
    readonly path?: string
    readonly method: string
    readonly params: ReadonlyArray<unknown>
    readonly answer: string
  }
  readonly error: (fault: ProcessFault) => E
}

export interface NodeProcess<E> {
  readonly url: string
  readonly pid: number
  /** Fails as soon as the process has ended, for any reason. */
  readonly died: Effect.Effect<never, E>
}

/** Caches Node's compiled code: the second start takes half the time. */
const compileCache = resolve(import.meta.dirname, "../../../scripts/compile-cache.cjs")

const Answer = Schema.Struct({ result: Schema.String })

const ask = (url: string, { method, params }: { readonly method: string; readonly params: ReadonlyArray<unknown> }) =>
  Effect.tryPromise(async (signal): Promise<unknown> => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
    const response = await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body, signal })
    return response.json()
  }).pipe(Effect.flatMap(Schema.decodeUnknownEffect(Answer)), Effect.map(({ result }) => result))

/**
 * Starts the chain and waits until it answers. Errors: `port-taken`, `not-started` (also for a damaged state file),
 * `wrong-chain`.
 */
export const startNode = Effect.fnUntraced(
  function*<E>(
    { args, error, known, name: chain, port, program }: NodeProcessOptions<E>
  ): Effect.fn.Return<NodeProcess<E>, E, Scope.Scope> {
    const name = `${chain} (port ${port})`
    if (!(yield* isFree(port))) {
      return yield* Effect.fail(error({ kind: "port-taken", message: `port ${port} on 127.0.0.1 is taken` }))
    }
    const guarded = yield* Effect.acquireRelease(
      Effect.sync(() =>
        spawnGuarded(process.execPath, ["--require", compileCache, program, "--port", `${port}`, ...args])
      ),
      (guarded) => Effect.andThen(Effect.sync(guarded.release), ended(guarded))
    )
    const notStarted = (message: string) => error({ kind: "not-started", message: `${name}: ${message}` })
    const died = Effect.flatMap(
      ended(guarded),
      () => Effect.fail(error({ kind: "died", message: `${name} has ended. ${guarded.complaints()}`.trim() }))
    )
    const pid = yield* Effect.tryPromise({ try: () => guarded.pid, catch: (cause) => notStarted(String(cause)) })
    const url = `http://127.0.0.1:${port}`
    const answered = yield* ask(`${url}${known.path ?? ""}`, known).pipe(
      Effect.retry(Schedule.spaced("20 millis")),
      Effect.mapError(({ message }) => notStarted(message)),
      Effect.timeoutOrElse({ duration: "60 seconds", orElse: () => Effect.fail(notStarted("no answer within 60 s")) }),
      Effect.raceFirst(Effect.mapError(died, () => notStarted(guarded.complaints().split("\n")[0] ?? "")))
    )
    if (answered !== known.answer) {
      return yield* Effect.fail(
        error({ kind: "wrong-chain", message: `${url} has the ${known.by} ${answered}: another node is on that port` })
      )
    }
    return { url, pid, died }
  }
)
