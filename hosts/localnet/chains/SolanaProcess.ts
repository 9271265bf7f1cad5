/**
 * The local Solana chain of `npm start`: Solana.ts in a process of its own, as
 * a scoped resource. Ends with its scope, after it has written its state, and
 * with its parent process even when that is killed (Guard.ts).
 */
import { Effect, Schedule, Schema } from "effect"
import type { Scope } from "effect"
import { join, resolve } from "node:path"
import type { GenesisArgument } from "../solana/GenesisArgument.ts"
import type { Guarded } from "./Guard.ts"
import { spawnGuarded } from "./Guard.ts"
import { isFree } from "./Port.ts"
import { genesisHashOf } from "./solana/Chain.ts"
import { SolanaError } from "./SolanaError.ts"

export interface SolanaProcessOptions {
  readonly port: number
  /** Of the swap routes of its pools. */
  readonly jupiterPort: number
  readonly stateFile: string
  readonly genesis: GenesisArgument
}

export interface SolanaProcess {
  readonly url: string
  /** For subscriptions. */
  readonly webSocketUrl: string
  /** Where routes through its pools are asked for. */
  readonly jupiterUrl: string
  readonly port: number
  readonly pid: number
  readonly genesisHash: string
  /** Fails as soon as the process has ended, by whomever. */
  readonly died: Effect.Effect<never, SolanaError>
}

export const programPath: string = join(import.meta.dirname, "solana", "main.ts")

/** Milliseconds between slots: as on the public chain. */
const SLOT_TIME = 400

/** Keeps what Node compiles: the second start takes half the time. */
const compileCache = resolve(import.meta.dirname, "..", "..", "..", "scripts", "compile-cache.cjs")

const Answer = Schema.Struct({ result: Schema.String })

const genesisHash = (url: string) =>
  Effect.tryPromise(async (signal): Promise<unknown> => {
    const response = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "getGenesisHash", params: [] }),
      signal
    })
    return response.json()
  }).pipe(Effect.flatMap(Schema.decodeUnknownEffect(Answer)), Effect.map(({ result }) => result))

/** Completes when the guard has ended, which it does after the chain. */
const ended = (guarded: Guarded): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const done = () => resume(Effect.void)
    if (guarded.process.exitCode !== null || guarded.process.signalCode !== null) return done()
    guarded.process.once("exit", done)
    return Effect.sync(() => guarded.process.off("exit", done))
  })

const wordsOf = ({ genesis, jupiterPort, port, stateFile }: SolanaProcessOptions): ReadonlyArray<string> => [
  ...["--require", compileCache, programPath],
  ...["--port", `${port}`, "--jupiter-port", `${jupiterPort}`, "--state", stateFile, "--slot-time", `${SLOT_TIME}`, "--genesis", JSON.stringify(genesis)]
]

/** Starts the chain and waits until it answers. Errors: `port-taken`, `not-started` (a damaged state file too), `wrong-chain`. */
export const start = Effect.fn("SolanaProcess.start")(
  function*(options: SolanaProcessOptions): Effect.fn.Return<SolanaProcess, SolanaError, Scope.Scope> {
    const { genesis, port } = options
    const name = `the Solana chain (port ${port})`
    if (!(yield* isFree(port))) {
      return yield* new SolanaError({ kind: "port-taken", message: `port ${port} on 127.0.0.1 is taken` })
    }
    const guarded = yield* Effect.acquireRelease(
      Effect.sync(() => spawnGuarded(process.execPath, wordsOf(options))),
      (guarded) => Effect.andThen(Effect.sync(guarded.release), ended(guarded))
    )
    const notStarted = (message: string) => new SolanaError({ kind: "not-started", message: `${name}: ${message}` })
    const died = Effect.flatMap(ended(guarded), () =>
      Effect.fail(new SolanaError({ kind: "died", message: `${name} has ended. ${guarded.complaints()}`.trim() })))
    const pid = yield* Effect.tryPromise({ try: () => guarded.pid, catch: (cause) => notStarted(String(cause)) })
    const url = `http://127.0.0.1:${port}`
    const answered = yield* genesisHash(url).pipe(
      Effect.retry(Schedule.spaced("20 millis")),
      Effect.timeoutOrElse({ duration: "60 seconds", orElse: () => Effect.fail(notStarted("no answer within 60 s")) }),
      Effect.catchTag(["UnknownError", "SchemaError"], (error) => Effect.fail(notStarted(error.message))),
      Effect.raceFirst(Effect.mapError(died, () => notStarted(guarded.complaints().split("\n")[0] ?? "")))
    )
    if (answered !== genesisHashOf(genesis.name)) {
      return yield* new SolanaError({ kind: "wrong-chain", message: `${url} has the genesis hash ${answered}: another node is on that port` })
    }
    return { url, webSocketUrl: `ws://127.0.0.1:${port}`, jupiterUrl: `http://127.0.0.1:${options.jupiterPort}/swap/v1`, port, pid, genesisHash: answered, died }
  }
)
