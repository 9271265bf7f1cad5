/**
 * Sends a signed payment of exchange B: first the exchange is asked for it, and only then the stored bytes are submitted
 * (EXCHANGEB-20).
 *
 * A payment that every endpoint refuses for what it is, again and again, will not be taken later: its nonce is used up, so
 * that its API key is free, and it is not signed again where that is hopeless (EXCHANGEB-27).
 *
 * A payment that has expired unused keeps its nonce free, and the exchange takes no later nonce of that API key. So in
 * place of its bytes, its nonce is used for nothing, and all that are free before it: what was signed with those has
 * expired earlier (EXCHANGEB-22).
 */
import { Effect } from "effect"
import type { Broadcast, SignedPayment } from "../../../ports/chain/Treasury.ts"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { isOver } from "../../../src/domain/families/exchange-b/payment/Lifetime.ts"
import { refusalOf } from "../../../src/domain/families/exchange-b/payment/Refusal.ts"
import type { Refusal } from "../../../src/domain/families/exchange-b/payment/Refusal.ts"
import { confirmedSequence } from "../../endpoints/sent/ConfirmedSequence.ts"
import type { ExchangeBClient } from "../rpc/ExchangeBClient.ts"
import type { ExchangeBFault, ExchangeBRpc } from "../rpc/ExchangeBRpc.ts"
import { readFate } from "./Landing.ts"
import { readMillis, readNonce } from "./ReadSent.ts"
import type { RefusedPayments } from "./RefusedPayments.ts"
import { storedTransfer } from "./SignTransfer.ts"
import type { SolverAccount } from "./SolverAccount.ts"
import { submit } from "./Submitting.ts"
import { submitNothing } from "./UseUp.ts"

const OPERATION = "broadcast"

/** Nonces that are used up in one turn. What is left follows in the next one. */
const AT_ONCE = 16n

/** The exchange's clock, milliseconds, as far as a quorum of its endpoints has come. */
export const confirmedTime = (rpc: ExchangeBRpc["Service"], chain: Chain): Effect.Effect<number, ChainUnavailable> =>
  Effect.map(
    confirmedSequence(
      rpc,
      chain,
      ({ read }) => read((client, deadline) => Effect.map(readMillis(client, deadline), BigInt))
    ),
    Number
  )

/** The next nonce of an API key, as far as a quorum of its endpoints has come. */
export const confirmedNonce = (
  rpc: ExchangeBRpc["Service"],
  chain: Chain,
  solver: SolverAccount["Service"],
  apiKey: bigint
): Effect.Effect<bigint, ChainUnavailable> =>
  confirmedSequence(
    rpc,
    chain,
    ({ read }) => read((client, deadline) => readNonce(client, solver, apiKey, deadline))
  )

const unavailable = (chain: Chain, kind: ChainUnavailable["kind"]) =>
  new ChainUnavailable({ chain: chain.slug, operation: OPERATION, kind })

const useUp = (
  rpc: ExchangeBRpc["Service"],
  solver: SolverAccount["Service"],
  chain: Chain,
  nonce: { readonly apiKey: bigint; readonly nonce: bigint; readonly now: number }
) =>
  submitNothing(rpc, solver, chain, nonce).pipe(
    Effect.catchTag("SignerUnavailable", () => Effect.fail(unavailable(chain, "refused")))
  )

/**
 * SECURITY: one nonce is executed once, so either the payment or this. It waits for payments of lower nonces, which are
 * not to lose theirs.
 */
const freeRefused = Effect.fnUntraced(
  function*(
    rpc: ExchangeBRpc["Service"],
    solver: SolverAccount["Service"],
    refused: RefusedPayments,
    chain: Chain,
    payment: SignedPayment,
    codes: ReadonlyArray<number | undefined>
  ): Effect.fn.Return<void, ChainUnavailable> {
    const { transfer: { apiKeyIndex: apiKey, nonce } } = storedTransfer(payment)
    if ((yield* confirmedNonce(rpc, chain, solver, apiKey)) !== nonce) return
    yield* Effect.logError(
      `exchange B refuses a transfer for what it is (${
        codes.join(", ")
      }): its nonce is used up (${payment.transactionId})`
    )
    yield* useUp(rpc, solver, chain, { apiKey, nonce, now: yield* confirmedTime(rpc, chain) })
    refused.end(payment)
  }
)

/** SECURITY: by the quorum's clock. By one endpoint's, payments that can still be executed would lose their nonces. */
const freeNonce = Effect.fnUntraced(
  function*(
    rpc: ExchangeBRpc["Service"],
    solver: SolverAccount["Service"],
    chain: Chain,
    payment: SignedPayment
  ): Effect.fn.Return<void, ChainUnavailable> {
    const { transfer: { apiKeyIndex: apiKey, nonce: last }, ...signed } = storedTransfer(payment)
    const now = yield* confirmedTime(rpc, chain)
    if (!isOver(signed, now)) return
    const first = yield* confirmedNonce(rpc, chain, solver, apiKey)
    for (let nonce = first; nonce <= last && nonce < first + AT_ONCE; nonce += 1n) {
      yield* useUp(rpc, solver, chain, { apiKey, nonce, now })
    }
  }
)

/** What the endpoints say about a payment: the first that takes it, or all that refuse it. */
const ask = Effect.fnUntraced(
  function*(
    rpc: ExchangeBRpc["Service"],
    solver: SolverAccount["Service"],
    chain: Chain,
    payment: SignedPayment
  ): Effect.fn.Return<
    Broadcast | "blocking" | { readonly codes: ReadonlyArray<number | undefined> },
    ChainUnavailable
  > {
    const codes: Array<number | undefined> = []
    const one = Effect.fnUntraced(
      function*(client: ExchangeBClient, deadline: number): Effect.fn.Return<Broadcast | "blocking", ExchangeBFault> {
        const asked = codes.push(undefined) - 1
        const { _tag } = yield* readFate(client, solver, payment, deadline)
        if (_tag === "Blocking") return "blocking"
        if (_tag !== "Open") return "accepted"
        const said = yield* submit(client, payment, deadline)
        if (typeof said === "string") return said
        codes[asked] = said.refusedAs
        return yield* Effect.fail("refused" as const)
      }
    )
    return yield* rpc.call(chain, OPERATION, ({ read }) => read(one)).pipe(
      Effect.catch((failure) => {
        if (codes.some((code) => code !== undefined)) return Effect.succeed({ codes })
        // Nobody has refused the payment: a budget is used up, or an answer made no sense.
        return Effect.fail(failure.kind === "refused" ? unavailable(chain, "unreachable") : failure)
      })
    )
  }
)

/** What all of them mean. Undefined where one of them means something else, or did not answer. */
const commonOf = (codes: ReadonlyArray<number | undefined>): Refusal | undefined => {
  const [first, ...others] = codes.map((code) => code === undefined ? undefined : refusalOf(code))
  return others.every((other) => other === first) ? first : undefined
}

export const broadcast = Effect.fnUntraced(
  function*(
    rpc: ExchangeBRpc["Service"],
    solver: SolverAccount["Service"],
    refused: RefusedPayments,
    chain: Chain,
    payment: SignedPayment
  ): Effect.fn.Return<Broadcast, ChainUnavailable> {
    const said = yield* ask(rpc, solver, chain, payment)
    if (said === "blocking") {
      yield* freeNonce(rpc, solver, chain, payment)
      return "accepted"
    }
    if (typeof said === "string") return said
    const refusal = commonOf(said.codes)
    if (refusal === undefined || !refused.note(payment, refusal)) return yield* unavailable(chain, "refused")
    yield* freeRefused(rpc, solver, refused, chain, payment, said.codes)
    return "accepted"
  }
)
