/**
 * Sends a signed payment of exchange B: first the exchange is asked for it, and only then the stored bytes are submitted
 * (EXCHANGEB-20).
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
import { confirmedSequence } from "../../endpoints/ConfirmedSequence.ts"
import type { ExchangeBFault, ExchangeBRpc } from "../rpc/ExchangeBRpc.ts"
import { readFate } from "./Landing.ts"
import { readMillis, readNonce } from "./ReadSent.ts"
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
      yield* submitNothing(rpc, solver, chain, { apiKey, nonce, now }).pipe(
        Effect.catchTag(
          "SignerUnavailable",
          () => Effect.fail(new ChainUnavailable({ chain: chain.slug, operation: OPERATION, kind: "refused" }))
        )
      )
    }
  }
)

export const broadcast = Effect.fnUntraced(
  function*(
    rpc: ExchangeBRpc["Service"],
    solver: SolverAccount["Service"],
    chain: Chain,
    payment: SignedPayment
  ): Effect.fn.Return<Broadcast, ChainUnavailable> {
    const said = yield* rpc.call(
      chain,
      OPERATION,
      ({ read }) =>
        read(
          Effect.fnUntraced(function*(client, deadline): Effect.fn.Return<Broadcast | "blocking", ExchangeBFault> {
            const { _tag } = yield* readFate(client, solver, payment, deadline)
            if (_tag === "Blocking") return "blocking"
            return _tag === "Open" ? yield* submit(client, payment, deadline) : "accepted"
          })
        )
    )
    if (said !== "blocking") return said
    yield* freeNonce(rpc, solver, chain, payment)
    return "accepted"
  }
)
