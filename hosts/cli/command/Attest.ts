/** `causeway attest <transaction>`: has an oracle attest the deposits of a transaction, as anybody may who has its key. */
import { Effect, Schema } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { readText } from "../../configuration/Variables.ts"
import { answer, maybe, ProgramFailed, wrongUsage } from "../Program.ts"
import { table } from "../Screen.ts"

const DEFAULT_URL = "http://127.0.0.1:3000"
const TIMEOUT_MS = 30_000

const flags = {
  transaction: Argument.String("transaction").pipe(Argument.withDescription("its id on the chain")),
  chain: Flag.String("chain").pipe(Flag.withMetavar("slug"), Flag.withDescription("where the deposit was made")),
  "oracle-url": maybe("oracle-url", `the oracle; ${DEFAULT_URL} unless given`),
  peers: Flag.Boolean("peers").pipe(
    Flag.withDescription("with the signatures of the oracle's peers"),
    Flag.withDefault(false)
  )
} as const

/** What is told of an answer. With `--json` all of it is shown. */
const Attested = Schema.Struct({
  messages: Schema.Array(Schema.Struct({
    result: Schema.Struct({
      depositId: Schema.String,
      depositor: Schema.String,
      currency: Schema.String,
      amount: Schema.String
    }),
    signature: Schema.Struct({ oracle: Schema.String })
  })),
  execution: Schema.optionalKey(Schema.Struct({
    signatures: Schema.Array(Schema.Struct({ oracleSigner: Schema.String }))
  }))
})
const Refusal = Schema.Struct({ message: Schema.String, reason: Schema.optionalKey(Schema.String) })

const attestedText = ({ execution, messages }: typeof Attested.Type): string =>
  table([
    ...messages.flatMap(({ result, signature }) => [
      ["deposit", result.depositId],
      ["of", result.depositor],
      ["amount", `${result.amount} smallest units of ${result.currency}`],
      ["attested by", signature.oracle]
    ]),
    ...(execution?.signatures ?? []).map(({ oracleSigner }) => ["execution by", oracleSigner])
  ]).join("\n")

const ask = Effect.fnUntraced(function*(url: string, body: object) {
  const key = yield* readText("ORACLE_API_KEY")
  return yield* Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(`${url}/attestations/depository-deposits/v1`, {
        method: "POST",
        headers: { "content-type": "application/json", ...(key === undefined ? {} : { "x-api-key": key }) },
        body: JSON.stringify(body),
        signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)])
      })
      const said: unknown = await response.json()
      return { status: response.status, said }
    },
    catch: () => new ProgramFailed({ reason: "no-answer", message: `no oracle answers at ${url}` })
  })
})

/** The reasons of a refusal are the oracle's own: `not-final` and `not-found` may pass. */
export const attest = Command.make(
  "attest",
  flags,
  Effect.fnUntraced(function*({ chain, "oracle-url": asked, peers, transaction }) {
    const url = (asked ?? DEFAULT_URL).replace(/\/+$/u, "")
    if (!URL.canParse(url)) return yield* wrongUsage(`--oracle-url ${url} is no URL`)
    const body = { chainId: chain, transactionId: transaction, ...(peers ? { requestPeerSignatures: true } : {}) }
    const { said, status } = yield* ask(url, body)
    if (status !== 200) {
      const refusal = yield* Schema.decodeUnknownEffect(Refusal)(said).pipe(
        Effect.orElseSucceed(() => ({ message: `the oracle answered with ${status}`, reason: undefined }))
      )
      return yield* new ProgramFailed({ reason: refusal.reason ?? "refused", message: refusal.message })
    }
    const attested = yield* Schema.decodeUnknownEffect(Attested)(said).pipe(
      Effect.mapError(() => new ProgramFailed({ reason: "no-answer", message: `the server at ${url} is no oracle` }))
    )
    if (attested.messages.length === 0) {
      return yield* new ProgramFailed({ reason: "no-deposit", message: "the transaction deposits nothing" })
    }
    yield* answer(said, attestedText(attested))
  })
).pipe(
  Command.withDescription(
    "Have an oracle attest the deposits of a transaction, with the key in ORACLE_API_KEY if it has keys; in a checkout without one, make a deposit on the local network first (--chain, --amount, --id) and see it onto the hub"
  )
)
