/**
 * The local Bitcoin chain of `npm start`: Bitcoin.ts in a process of its own, as
 * a scoped resource. Ends with its scope, after it has written its state, and
 * with its parent process even when that is killed (Guard.ts).
 */
import { Effect, Schedule, Schema } from "effect"
import type { Scope } from "effect"
import { join, resolve } from "node:path"
import { BitcoinError } from "./BitcoinError.ts"
import type { Guarded } from "./Guard.ts"
import { spawnGuarded } from "./Guard.ts"
import { isFree } from "./Port.ts"

export interface BitcoinProcess {
  /** The node's. */
  readonly url: string
  /** The explorer's. */
  readonly explorerUrl: string
  readonly port: number
  readonly pid: number
  /** Fails as soon as the process has ended, by whomever. */
  readonly died: Effect.Effect<never, BitcoinError>
}

/** The first block of every regtest chain. */
export const REGTEST_GENESIS = "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206"

export const programPath: string = join(import.meta.dirname, "bitcoin", "main.ts")

/** Milliseconds between blocks: what is final after six of them is so within a quarter of a minute. */
const BLOCK_TIME = 2_000

const compileCache = resolve(import.meta.dirname, "..", "..", "..", "scripts", "compile-cache.cjs")

const Answer = Schema.Struct({ result: Schema.String })

const firstBlock = (url: string) =>
  Effect.tryPromise(async (signal): Promise<unknown> => {
    const response = await fetch(url, { method: "POST", body: JSON.stringify({ jsonrpc: "1.0", id: 1, method: "getblockhash", params: [0] }), signal })
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

/** Starts the chain and waits until it answers. Errors: `port-taken`, `not-started` (a damaged state file too), `wrong-chain`. */
export const start = Effect.fn("BitcoinProcess.start")(
  function*({ port, stateFile }: { readonly port: number; readonly stateFile: string }): Effect.fn.Return<BitcoinProcess, BitcoinError, Scope.Scope> {
    const name = `the Bitcoin chain (port ${port})`
    if (!(yield* isFree(port))) return yield* new BitcoinError({ kind: "port-taken", message: `port ${port} on 127.0.0.1 is taken` })
    const words = ["--require", compileCache, programPath, "--port", `${port}`, "--state", stateFile, "--block-time", `${BLOCK_TIME}`]
    const guarded = yield* Effect.acquireRelease(
      Effect.sync(() => spawnGuarded(process.execPath, words)),
      (guarded) => Effect.andThen(Effect.sync(guarded.release), ended(guarded))
    )
    const notStarted = (message: string) => new BitcoinError({ kind: "not-started", message: `${name}: ${message}` })
    const died = Effect.flatMap(ended(guarded), () =>
      Effect.fail(new BitcoinError({ kind: "died", message: `${name} has ended. ${guarded.complaints()}`.trim() })))
    const pid = yield* Effect.tryPromise({ try: () => guarded.pid, catch: (cause) => notStarted(String(cause)) })
    const url = `http://127.0.0.1:${port}`
    const answered = yield* firstBlock(url).pipe(
      Effect.retry(Schedule.spaced("20 millis")),
      Effect.timeoutOrElse({ duration: "60 seconds", orElse: () => Effect.fail(notStarted("no answer within 60 s")) }),
      Effect.catchTag(["UnknownError", "SchemaError"], (error) => Effect.fail(notStarted(error.message))),
      Effect.raceFirst(Effect.mapError(died, () => notStarted(guarded.complaints().split("\n")[0] ?? "")))
    )
    if (answered !== REGTEST_GENESIS) {
      return yield* new BitcoinError({ kind: "wrong-chain", message: `${url} has the first block ${answered}: another node is on that port` })
    }
    return { url, explorerUrl: `${url}/api`, port, pid, died }
  }
)
