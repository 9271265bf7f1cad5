/**
 * The local Tron chain of `npm start`: Tron.ts in a process of its own, as a
 * scoped resource. Ends with its scope, after it has written its state, and
 * with its parent process even when that is killed (Guard.ts).
 */
import { Effect, Schedule, Schema } from "effect"
import type { Scope } from "effect"
import { join, resolve } from "node:path"
import type { TronParties } from "../tron/Genesis.ts"
import type { Guarded } from "./Guard.ts"
import { spawnGuarded } from "./Guard.ts"
import { isFree } from "./Port.ts"
import { TRON_CHAIN_ID } from "./tron/ChainNumber.ts"
import { TronError } from "./TronError.ts"

export interface TronProcess {
  /** Of the HTTP interface, as tronweb's `fullHost`. */
  readonly url: string
  readonly jsonRpcUrl: string
  readonly port: number
  readonly pid: number
  /** Fails as soon as the process has ended, by whomever. */
  readonly died: Effect.Effect<never, TronError>
}

export const programPath: string = join(import.meta.dirname, "tron", "main.ts")

/** Milliseconds between blocks, a third of the public chain's: what is solidified is 19 seconds old, and not a minute. */
const BLOCK_TIME = 1_000

const compileCache = resolve(import.meta.dirname, "..", "..", "..", "scripts", "compile-cache.cjs")

const Answer = Schema.Struct({ result: Schema.String })

const chainIdAt = (url: string) =>
  Effect.tryPromise(async (signal): Promise<unknown> => {
    const response = await fetch(url, { method: "POST", body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] }), signal })
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

export interface TronProcessOptions {
  readonly port: number
  readonly stateFile: string
  readonly parties: TronParties
}

/** Starts the chain and waits until it answers. Errors: `port-taken`, `not-started` (a damaged state file too), `wrong-chain`. */
export const start = Effect.fn("TronProcess.start")(
  function*({ parties, port, stateFile }: TronProcessOptions): Effect.fn.Return<TronProcess, TronError, Scope.Scope> {
    const name = `the Tron chain (port ${port})`
    if (!(yield* isFree(port))) return yield* new TronError({ kind: "port-taken", message: `port ${port} on 127.0.0.1 is taken` })
    const words = ["--require", compileCache, programPath, "--port", `${port}`, "--state", stateFile, "--block-time", `${BLOCK_TIME}`, "--parties", JSON.stringify(parties)]
    const guarded = yield* Effect.acquireRelease(
      Effect.sync(() => spawnGuarded(process.execPath, words)),
      (guarded) => Effect.andThen(Effect.sync(guarded.release), ended(guarded))
    )
    const notStarted = (message: string) => new TronError({ kind: "not-started", message: `${name}: ${message}` })
    const died = Effect.flatMap(ended(guarded), () =>
      Effect.fail(new TronError({ kind: "died", message: `${name} has ended. ${guarded.complaints()}`.trim() })))
    const pid = yield* Effect.tryPromise({ try: () => guarded.pid, catch: (cause) => notStarted(String(cause)) })
    const url = `http://127.0.0.1:${port}`
    const jsonRpcUrl = `${url}/jsonrpc`
    const answered = yield* chainIdAt(jsonRpcUrl).pipe(
      Effect.retry(Schedule.spaced("20 millis")),
      Effect.timeoutOrElse({ duration: "60 seconds", orElse: () => Effect.fail(notStarted("no answer within 60 s")) }),
      Effect.catchTag(["UnknownError", "SchemaError"], (error) => Effect.fail(notStarted(error.message))),
      Effect.raceFirst(Effect.mapError(died, () => notStarted(guarded.complaints().split("\n")[0] ?? "")))
    )
    if (Number(answered) !== TRON_CHAIN_ID) {
      return yield* new TronError({ kind: "wrong-chain", message: `${url} answers with chain id ${answered}: another node is on that port` })
    }
    return { url, jsonRpcUrl, port, pid, died }
  }
)
