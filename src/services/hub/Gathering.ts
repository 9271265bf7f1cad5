/**
 * What a deposit still needs on the hub, with signatures, or why there is nothing to submit now.
 *
 * Executions that a final block of the hub has are settled, whoever submitted them. A mint that somebody else has
 * executed is left out, and only the move of the deposit to the solver is submitted.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Chains } from "../../../ports/chain/Chains.ts"
import { Deposits } from "../../../ports/store/orders/Deposits.ts"
import { HubGate } from "../../../ports/hub/HubGate.ts"
import type { Hub } from "../../../ports/hub/SettlingHub.ts"
import type { ClaimedSettlement, Conclusion } from "../../../ports/store/orders/Settlements.ts"
import type { PaymentPurpose } from "../../../ports/store/orders/Payments.ts"
import { TransferHistory } from "../../../ports/store/orders/TransferHistory.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import { findChain } from "../../domain/chain/Chain.ts"
import { HexFromString } from "../../domain/encoding/Hex.ts"
import { isNotYet } from "../../domain/evidence/judges/Refusal.ts"
import { settlingClaims } from "../../domain/hub/settling/Claims.ts"
import type { Ready } from "../../domain/hub/settling/Packing.ts"
import { expectedSettlement } from "./Evidence.ts"
import { gatherSignatures } from "./GatherSignatures.ts"

/** A word for why it must be checked again; `Settling` sets the time. */
export interface Waiting {
  readonly _tag: "Waiting"
  readonly reason: string
}

/** The state of one settlement after it was examined. */
export type Looked =
  | { readonly _tag: "Ready"; readonly ready: Ready }
  | Extract<Conclusion, { readonly _tag: "Excluded" | "Refused" }>
  | { readonly _tag: "Settled" }
  | Waiting

const waiting = (reason: string): Waiting => ({ _tag: "Waiting", reason })

const decodeSignature = Schema.decodeUnknownEffect(HexFromString)

/** How the order was paid for this deposit, and the claim that follows from it. */
const claimsOf = Effect.fnUntraced(function*({ deposit: onchainId, orderId }: ClaimedSettlement) {
  const deposits = yield* Deposits
  const history = yield* TransferHistory
  const transfers = yield* Transfers
  const chains = yield* Chains
  const transfer = yield* transfers.findByOrder(orderId)
  const found = yield* deposits.find(onchainId)
  if (transfer === undefined || found === undefined) {
    return yield* Effect.die(new Error(`what the deposit ${onchainId} was paid for is not kept`))
  }
  const { deposit } = found
  const chain = findChain(chains.all, deposit.chainId)
  if (chain === undefined) return waiting("chain-not-served")
  const state = yield* deposits.stateOf(onchainId)
  // A reorg has opened it again: the new payment for it will settle it.
  if (state !== "filled" && state !== "refunded") return waiting("deposit-open")
  const legs: ReadonlyArray<PaymentPurpose> = state === "filled" ? ["fill", "fallback"] : [`refund:${onchainId}`]
  const made = (yield* history.paymentsOf(orderId, legs)).filter((each) => each.state === "included")
  const payment = made.find((each) => each.onchainId === onchainId)
  // A reorg moved the deposit, and its order was filled for its new place.
  if (payment === undefined && made.length > 0) return undefined
  if (payment === undefined) return waiting("payment-open")
  const orderSignature = yield* Effect.orDie(decodeSignature(transfer.orderSignature))
  const { leg, recipient, transactionId } = payment
  return settlingClaims({ order: transfer.order, orderSignature }, { chain, deposit }, {
    kind: leg === "fill" || leg === "fallback" ? leg : "refund",
    transactionId,
    recipient
  })
})

/** Fails when a chain or the hub cannot be read now. */
export const look = Effect.fnUntraced(
  function*(hub: Hub, threshold: number, claimed: ClaimedSettlement) {
    const gate = yield* HubGate
    const claims = yield* claimsOf(claimed)
    if (claims === undefined) return { _tag: "Excluded" } satisfies Looked
    if ("_tag" in claims) return claims satisfies Looked
    const { mint, settlement } = yield* expectedSettlement(claims)
    const keys = [mint, settlement].map(({ execution }) => execution.idempotencyKey)
    const executed = yield* gate.executed(hub, keys)
    const settled = executed.get(settlement.execution.idempotencyKey)
    if (settled === "final") return { _tag: "Settled" } satisfies Looked
    if (settled === "carried-out") return waiting("hub-not-final") satisfies Looked
    const needed = executed.get(mint.execution.idempotencyKey) === "open" ? [mint, settlement] : [settlement]
    const gathered = yield* Effect.forEach(needed, (each) => gatherSignatures(hub, threshold, each), {
      concurrency: "unbounded"
    })
    const [short] = gathered.filter((each) => each._tag === "Short")
    if (short?.why === "oracles-refuse") return { _tag: "Refused", reason: short.why } satisfies Looked
    if (short !== undefined) return waiting(short.why) satisfies Looked
    const calls = gathered.flatMap((each) => each._tag === "Signed" ? [each.call] : [])
    return { _tag: "Ready", ready: { deposit: claimed.deposit, calls, alone: claimed.failures > 0 } } satisfies Looked
  },
  Effect.catchTag(
    "Refusal",
    (refusal): Effect.Effect<Looked> =>
      Effect.succeed(isNotYet(refusal) ? waiting(refusal.reason) : { _tag: "Refused", reason: refusal.reason })
  )
)
