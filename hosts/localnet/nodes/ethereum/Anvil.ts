/**
 * A local EVM chain: one anvil process, as a scoped resource.
 *
 * Real EVM, real receipts, `safe` and `finalized` at latest−1 and latest−2. Bound to 127.0.0.1 only. Ends with its
 * scope, and with its parent process even when that is killed (see Guard.ts). Not for real value.
 */
import { Effect, Option, Schedule, Schema } from "effect"
import type { Scope } from "effect"
import { mkdtempSync, readdirSync, readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { anvilBinary, anvilPackage } from "./AnvilBinary.ts"
import { ended, spawnGuarded } from "../Guard.ts"
import { anyFree, isFree } from "../Port.ts"

/** An error of a local chain, in one sentence. */
export class AnvilError extends Schema.TaggedError<AnvilError>()("AnvilError", {
  kind: Schema.Literals(["missing", "port-taken", "not-started", "wrong-chain", "rpc", "died"]),
  message: Schema.String
}) {}

export interface AnvilOptions {
  readonly chainId: number
  /** A fixed port, refused when taken. Without it any free port. */
  readonly port?: number | undefined
  /** Loaded when it exists. Written every second and at the end. */
  readonly stateFile?: string | undefined
  /** Seconds between blocks, in addition to an immediate block for every transaction. Without it only the latter. */
  readonly blockTime?: number | undefined
  /** How many accounts of the well-known mnemonic are funded with 10,000 each. Default 10. */
  readonly accounts?: number | undefined
  /** Further arguments of the binary. */
  readonly args?: ReadonlyArray<string> | undefined
}

export interface Anvil {
  readonly url: string
  readonly port: number
  readonly chainId: number
  /** Process id of anvil itself. */
  readonly pid: number
  /** One JSON-RPC call. The result is not decoded. */
  readonly request: (method: string, params?: ReadonlyArray<unknown>) => Effect.Effect<unknown, AnvilError>
  /** Mines blocks now. Default: one. */
  readonly mine: (blocks?: number) => Effect.Effect<void, AnvilError>
  /** Replaces the last `depth` blocks by empty ones. Their transactions are gone for good. */
  readonly reorg: (depth: number) => Effect.Effect<void, AnvilError>
  readonly setBalance: (address: string, wei: bigint) => Effect.Effect<void, AnvilError>
  readonly setCode: (address: string, code: string) => Effect.Effect<void, AnvilError>
  /** Height of the latest block. */
  readonly height: Effect.Effect<bigint, AnvilError>
  /** Makes the node hang: it accepts connections and answers nothing until `resume`. */
  readonly pause: Effect.Effect<void>
  readonly resume: Effect.Effect<void>
  /** Ends the process after it has written its state. Closing the scope does the same. */
  readonly stop: Effect.Effect<void>
  /** Fails as soon as the process has ended, for any reason. */
  readonly died: Effect.Effect<never, AnvilError>
}

const Answer = Schema.Struct({
  result: Schema.optionalKey(Schema.Unknown),
  error: Schema.optionalKey(Schema.Struct({ message: Schema.String }))
})

const rpc = (url: string, method: string, params: ReadonlyArray<unknown>) =>
  Effect.tryPromise({
    try: async (signal): Promise<unknown> => {
      const response = await fetch(url, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
        signal
      })
      return response.json()
    },
    catch: (cause) => new AnvilError({ kind: "rpc", message: `${url} ${method}: ${String(cause)}` })
  }).pipe(
    Effect.flatMap(Schema.decodeUnknownEffect(Answer)),
    Effect.catchTag("SchemaError", (cause) =>
      Effect.fail(new AnvilError({ kind: "rpc", message: `${url} ${method}: ${cause.message}` }))),
    Effect.flatMap((answer) =>
      answer.error === undefined
        ? Effect.succeed(answer.result)
        : Effect.fail(new AnvilError({ kind: "rpc", message: `${url} ${method}: ${answer.error.message}` }))
    )
  )

const hexToBigInt = (value: unknown): bigint =>
  typeof value === "string" && /^0x[0-9a-f]+$/i.test(value) ? BigInt(value) : -1n

const argumentsOf = (options: AnvilOptions, port: number, scratch: string): ReadonlyArray<string> => [
  "--quiet",
  ...["--host", "127.0.0.1", "--port", `${port}`],
  ...["--chain-id", `${options.chainId}`],
  // For states of older blocks. By default anvil leaves them in the home directory.
  ...["--cache-path", scratch],
  ...["--slots-in-an-epoch", "1"],
  ...["--accounts", `${options.accounts ?? 10}`],
  ...(options.blockTime === undefined ? [] : ["--block-time", `${options.blockTime}`, "--mixed-mining"]),
  ...(options.stateFile === undefined ? [] : ["--state", options.stateFile, "--state-interval", "1"]),
  ...(options.args ?? [])
]

/** Whether every thread has stopped: a signal reaches the process at once, its threads a little later. */
const standsStill = (pid: number): boolean =>
  readdirSync(`/proc/${pid}/task`).every((task) => / T \d/.test(readFileSync(`/proc/${pid}/task/${task}/stat`, "utf8")))

const stopped = (pid: number): Effect.Effect<void> =>
  Effect.asVoid(Effect.repeat(Effect.sleep(5), {
    until: () => Effect.orElseSucceed(Effect.try({ try: () => standsStill(pid), catch: () => undefined }), () => true)
  }))

const name = (options: AnvilOptions, port: number) => `anvil (chain id ${options.chainId}, port ${port})`

const launch = Effect.fnUntraced(function*(binary: string, options: AnvilOptions, port: number) {
  const guarded = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const scratch = mkdtempSync(join(tmpdir(), "causeway-anvil-"))
      return spawnGuarded(binary, argumentsOf(options, port, scratch), scratch)
    }),
    (guarded) => Effect.andThen(Effect.sync(guarded.release), ended(guarded))
  )
  const url = `http://127.0.0.1:${port}`
  const died = Effect.flatMap(ended(guarded), () =>
    Effect.fail(
      new AnvilError({ kind: "died", message: `${name(options, port)} has ended. ${guarded.complaints()}`.trim() })
    ))
  const notStarted = (message: string) =>
    new AnvilError({ kind: "not-started", message: `${name(options, port)}: ${message}` })
  const pid = yield* Effect.tryPromise({ try: () => guarded.pid, catch: (cause) => notStarted(String(cause)) })
  const answered = yield* rpc(url, "eth_chainId", []).pipe(
    Effect.retry(Schedule.spaced("10 millis")),
    Effect.timeoutOrElse({
      duration: "60 seconds",
      orElse: () => Effect.fail(notStarted("no answer within 60 s"))
    }),
    Effect.raceFirst(Effect.mapError(died, () => notStarted(guarded.complaints().split("\n")[0] ?? "")))
  )
  if (hexToBigInt(answered) !== BigInt(options.chainId)) {
    return yield* new AnvilError({
      kind: "wrong-chain",
      message: `${url} answers with chain id ${String(answered)}, not ${options.chainId}: another node is on that port`
    })
  }
  const request = (method: string, params: ReadonlyArray<unknown> = []) => rpc(url, method, params)
  const signal = (signal: NodeJS.Signals) =>
    Effect.sync(() => {
      if (guarded.process.exitCode === null) process.kill(pid, signal)
    })
  const anvil: Anvil = {
    url,
    port,
    chainId: options.chainId,
    pid,
    request,
    mine: (blocks = 1) => Effect.asVoid(request("anvil_mine", [`0x${blocks.toString(16)}`])),
    reorg: (depth) => Effect.asVoid(request("anvil_reorg", [depth, []])),
    setBalance: (address, wei) => Effect.asVoid(request("anvil_setBalance", [address, `0x${wei.toString(16)}`])),
    setCode: (address, code) => Effect.asVoid(request("anvil_setCode", [address, code])),
    height: Effect.map(request("eth_blockNumber"), hexToBigInt),
    pause: Effect.andThen(signal("SIGSTOP"), stopped(pid)),
    resume: signal("SIGCONT"),
    stop: Effect.andThen(Effect.sync(guarded.release), ended(guarded)),
    died
  }
  return anvil
})

/**
 * Starts a chain and waits until it answers with its chain id. Errors: `missing` binary, `port-taken`, `not-started`,
 * `wrong-chain` (another program answers on that port).
 */
export const start = Effect.fn("Anvil.start")(
  function*(options: AnvilOptions): Effect.fn.Return<Anvil, AnvilError, Scope.Scope> {
    const binary = anvilBinary()
    if (Option.isNone(binary)) {
      return yield* new AnvilError({
        kind: "missing",
        message: `the package ${anvilPackage()} is not installed: run npm ci on Linux x64`
      })
    }
    if (options.port === undefined) {
      return yield* Effect.flatMap(anyFree, (port) => launch(binary.value, options, port)).pipe(
        Effect.retry({ times: 3, while: (error) => error.kind === "not-started" || error.kind === "wrong-chain" })
      )
    }
    if (!(yield* isFree(options.port))) {
      return yield* new AnvilError({ kind: "port-taken", message: `port ${options.port} on 127.0.0.1 is taken` })
    }
    return yield* launch(binary.value, options, options.port)
  }
)

export const Anvil = { start } as const
