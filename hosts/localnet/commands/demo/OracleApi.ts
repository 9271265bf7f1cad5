/**
 * The oracle as a client sees it: HTTP, and the members that a submitter needs. Imports nothing of the service's code.
 */
import { Effect, Schema } from "effect"
import { LocalnetError, reasonOf } from "../../run/LocalnetError.ts"

export interface OracleAccess {
  readonly url: string
  readonly apiKey: string
}

const Hex = Schema.TemplateLiteral(["0x", Schema.String])

const Execution = Schema.Struct({
  idempotencyKey: Hex,
  actions: Schema.Array(Hex),
  metadata: Schema.optionalKey(Schema.Array(Schema.Struct({ hubTokenId: Schema.String }))),
  signatures: Schema.Array(Schema.Struct({ oracleSigner: Schema.String, signature: Hex }))
})
export type Execution = typeof Execution.Type

export const DepositsAnswer = Schema.Struct({
  messages: Schema.Array(Schema.Struct({
    result: Schema.Struct({
      onchainId: Schema.String,
      depositId: Schema.String,
      depositor: Schema.String,
      amount: Schema.String
    }),
    signature: Schema.Struct({ oracle: Schema.String }),
    extraData: Schema.Struct({ timestamp: Schema.Int })
  })),
  execution: Schema.optionalKey(Execution)
})

export const InitiationAnswer = Schema.Struct({
  message: Schema.Struct({ result: Schema.Struct({ withdrawalAddress: Hex }) }),
  execution: Execution
})

export const InitiatedAnswer = Schema.Struct({
  message: Schema.Struct({ result: Schema.Struct({ withdrawalAddress: Hex, proofOfWithdrawalAddressBalance: Hex }) })
})

export const WithdrawalAnswer = Schema.Struct({
  message: Schema.Struct({
    result: Schema.Struct({ status: Schema.Literals([0, 1, 2]) }),
    signature: Schema.Struct({ oracle: Schema.String })
  }),
  execution: Schema.optionalKey(Execution)
})

export const FillAnswer = Schema.Struct({ execution: Execution })

const Refusal = Schema.Struct({ message: Schema.String, reason: Schema.optionalKey(Schema.String) })

/**
 * A fact that cannot be attested yet is requested again for this long: Bitcoin's seven blocks, or on Tron twenty and a
 * minute of margin, on a slow machine.
 */
const PATIENCE_MS = 180_000
/** A balance counts once it is in a final block of the hub. */
const notYet = ["not-final", "not-found", "insufficient-balance"]
const AGAIN_MS = 200

const once = <A, E>({ apiKey, url }: OracleAccess, path: string, body: unknown, schema: Schema.Codec<A, E>) =>
  Effect.tryPromise({
    try: async (signal) => {
      const response = await fetch(`${url}/attestations/${path}/v1`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-api-key": apiKey },
        body: JSON.stringify(body),
        signal
      })
      const answer: unknown = await response.json()
      return { status: response.status, answer }
    },
    catch: (cause) => new LocalnetError({ message: `${url} does not answer: ${reasonOf(cause)}` })
  }).pipe(
    // A connection that is kept may be closed just as the request goes out. Asking again changes nothing.
    Effect.retry({ times: 2 }),
    Effect.flatMap(({ answer, status }) =>
      Effect.gen(function*() {
        const refusal = Schema.decodeUnknownOption(Refusal)(answer)
        const said = refusal._tag === "Some" ? refusal.value : { message: JSON.stringify(answer).slice(0, 300) }
        if (status === 400 && notYet.includes(said.reason ?? "")) return undefined
        if (status !== 200) {
          return yield* new LocalnetError({ message: `the oracle answered with ${status}: ${said.message}` })
        }
        return yield* Schema.decodeUnknownEffect(schema)(answer).pipe(
          Effect.mapError((error) => new LocalnetError({ message: `the oracle: unexpected answer: ${error.message}` }))
        )
      })
    )
  )

/** What can be attested, as the routes name it. */
export type Attested =
  | "depository-deposits"
  | "solver-fills"
  | "withdrawal-initiation"
  | "withdrawal-initiated"
  | "depository-withdrawals"

/** Waits until there is an attestation that is `enough`. */
export const attest = <A, E>(
  oracle: OracleAccess,
  path: Attested,
  body: unknown,
  schema: Schema.Codec<A, E>,
  enough: (answer: A) => boolean = () => true
) =>
  Effect.gen(function*() {
    for (let waited = 0; waited < PATIENCE_MS; waited += AGAIN_MS) {
      const answer = yield* once(oracle, path, body, schema)
      if (answer !== undefined && enough(answer)) return answer
      yield* Effect.sleep(AGAIN_MS)
    }
    return yield* new LocalnetError({ message: `nothing could be attested at ${path} within ${PATIENCE_MS / 1000} s` })
  })
