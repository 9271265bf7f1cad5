/**
 * Accepts a user's signature for a quote (STEP-8, STEP-10): judged, tried, and queued for submission.
 * `SubmittingPermits` submits it, and `Filling` handles the deposit.
 *
 * Posting it again is idempotent: an order has one permit that is queued or done. SECURITY: the signed message is
 * rebuilt from the stored terms; only the signature is taken from the request. The gas of a submission is in the fill's
 * fees, or subtracted from a refund (docs/permits.md). A permit that the chain would not execute now, or whose deposit
 * would only be refunded, is refused before anything is sent.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { Chains } from "../../../ports/chain/Chains.ts"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { ContractWallets } from "../../../ports/chain/ContractWallets.ts"
import { Gas } from "../../../ports/chain/Gas.ts"
import { PermitSubmissions } from "../../../ports/store/orders/PermitSubmissions.ts"
import { PermitTokens } from "../../../ports/chain/PermitTokens.ts"
import { Prices } from "../../../ports/market/Prices.ts"
import { Signatures } from "../../../ports/signing/Signatures.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import { servedChain } from "../../domain/chain/ChainNotServed.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import { hexToBytes } from "../../domain/encoding/Hex.ts"
import type { Hex } from "../../domain/encoding/Hex.ts"
import type { PermitKind } from "../../domain/permit/Permit.ts"
import { permitId } from "../../domain/permit/PermitId.ts"
import { permitDigest, permitMessage } from "../../domain/permit/PermitMessage.ts"
import { PermitRefused } from "../../domain/permit/PermitRefused.ts"
import type { RequestId } from "../../domain/transfer/RequestId.ts"
import { usdCeil } from "../../domain/money/Currency.ts"
import { microsCeil } from "../../domain/money/Usd.ts"
import { isHalted } from "../deposits/halt/Halting.ts"
import { countStuck } from "../operations/Meters.ts"
import { Policy } from "../operations/Policy.ts"
import { withUsualV } from "../clients/WalletSignatures.ts"
import { judgePermit } from "./JudgingPermits.ts"
import { permitOf, permitPayment } from "./PermitPayment.ts"
import type { PermitTransfer } from "./PermitPayment.ts"

/** The posted signature. */
export interface PostedPermit {
  readonly kind: PermitKind
  readonly requestId: RequestId
  readonly signature: Hex
}

/** `again`: it was accepted before. */
export type AcceptedPermit = "accepted" | "again"

/** How often a permit of one order may revert on the chain: nobody pays the gas of these. */
const MAX_TRIES = 5

/** One or two blocks, for it to be mined. */
const MARGIN_SECONDS = 20

const refuse = (reason: PermitRefused["reason"], message: string) => new PermitRefused({ reason, message })

const served = Effect.fnUntraced(function*(id: Chain["id"]) {
  const chains = yield* Chains
  const chain = yield* Effect.fromResult(servedChain(chains.all, id))
  if (yield* isHalted([id])) {
    return yield* new ChainUnavailable({ chain: chain.slug, operation: "permit", kind: "behind" })
  }
  return chain
})

/**
 * The signature in the chain's form. Undefined when it is not the owner's: neither by the account's key, nor, for a
 * contract, by the contract's own check on the chain that has the money. A contract's answer for these bytes says
 * nothing about others.
 */
const signedBy = Effect.fnUntraced(function*(chain: Chain, { permitted, terms }: PermitTransfer, signature: Hex) {
  const contracts = yield* ContractWallets
  const { recoverDigest } = yield* Signatures
  const message = yield* Effect.orDie(Effect.fromResult(permitMessage({ ...permitted, chainId: chain.id, terms })))
  const digest = permitDigest(message)
  const usual = withUsualV(signature)
  const recovered = recoverDigest(hexToBytes(digest), usual)
  if (Result.isSuccess(recovered) && recovered.success === permitted.owner) return usual
  return (yield* contracts.hasSigned(chain, permitted.owner, digest, signature)) ? signature : undefined
})

const assertStanding = Effect.fnUntraced(function*(chain: Chain, { permitted, terms }: PermitTransfer) {
  const tokens = yield* PermitTokens
  const standing = yield* tokens.standing(chain, permitted, terms)
  if (standing.time >= terms.deadline) {
    return yield* refuse("expired", "the permit has expired: ask for a new quote")
  }
  if (standing.used) {
    return yield* refuse(
      "used",
      "the permit's nonce is used already; if that was its deposit, GET /intents/status shows its outcome"
    )
  }
  if (standing.balance < permitted.amount) {
    return yield* refuse("no-balance", "the user's balance is below the permit's amount")
  }
  if (standing.allowance !== undefined && standing.allowance < permitted.amount) {
    return yield* refuse("no-approval", "execute the approve step first: Permit2 may not take the amount yet")
  }
})

/** The current cost of submitting it, smallest units of the native currency. */
const costOf = Effect.fnUntraced(function*(chain: Chain, permit: PermitTransfer, signature: Hex) {
  const gas = yield* Gas
  return yield* gas.ofPayment(permitPayment(chain, permitId(permit.permitted.orderId, 0), permit, signature)).pipe(
    Effect.catchTag("PaymentRefused", ({ reason }): Effect.Effect<bigint, ChainUnavailable | PermitRefused> =>
      // An empty operator account is the operator's problem: the submission waits for money.
      reason === "insufficient-funds"
        ? gas.ofPermit(chain, permit.terms.kind, permit.terms.gasOverhead ?? 0n)
        : Effect.fail(
          refuse(
            "reverts",
            "the deposit was simulated and reverts, or takes more gas than was quoted: originGasOverhead asks for more"
          )
        ))
  )
})

const refuseCapped = Effect.fnUntraced(function*({ slug }: Chain) {
  yield* countStuck("reverted-permits-capped")
  yield* Effect.logError(
    `a permit on ${slug} is refused: the gas of those that reverted in the last 24 hours, with that of permits in flight, has reached REVERTED_PERMITS_USD; check who sends them, raise the cap, or wait`
  )
  return yield* refuse(
    "capped",
    "permits of this chain are not submitted for now, because too many have failed: deposit by a transaction of your own, or try again later"
  )
})

/** Judges a posted permit and queues it for submission. Fails with `PermitRefused`, which says why. */
export const acceptPermit = Effect.fn("AcceptingPermits.accept")(
  function*({ kind, requestId, signature: posted }: PostedPermit) {
    const prices = yield* Prices
    const { revertedPermits: cap } = yield* Policy
    const submissions = yield* PermitSubmissions
    const transfers = yield* Transfers
    const transfer = yield* transfers.find(requestId)
    if (transfer === undefined) return yield* refuse("unknown-request", "requestId: there is no such request")
    const permit = permitOf(transfer)
    if (permit === undefined) {
      return yield* refuse(
        "no-permit",
        "requestId: the request is not deposited by a permit; ask for its quote with usePermit"
      )
    }
    if (permit.terms.kind !== kind) {
      return yield* refuse("wrong-kind", `kind: the quote asks for ${permit.terms.kind}`)
    }
    const chain = yield* served(transfer.terms.originChainId)
    const signature = yield* signedBy(chain, permit, posted)
    if (signature === undefined) {
      return yield* refuse("wrong-signer", "signature: it is not the user's signature of what the quote asks for")
    }
    const before = yield* submissions.newest(transfer.orderId)
    if (before !== undefined && before.state !== "void") return "again" satisfies AcceptedPermit
    const now = yield* Clock.currentTimeMillis
    if (now >= (permit.terms.deadline - MARGIN_SECONDS) * 1000) {
      return yield* refuse("expired", "the permit has expired, or is about to: ask for a new quote")
    }
    const { orderId } = transfer
    if ((yield* submissions.reverted(orderId)) >= MAX_TRIES) {
      return yield* refuse("tries", `the permit has reverted ${MAX_TRIES} times: ask for a new quote`)
    }
    yield* assertStanding(chain, permit)
    yield* judgePermit(chain, transfer)
    const cost = yield* costOf(chain, permit, signature)
    const reservedMicros = microsCeil(usdCeil(cost, yield* prices.priceOf(chain.native)))
    const number = before === undefined ? 0 : before.number + 1
    const { owner } = permit.permitted
    const queued = yield* submissions.queue({
      id: permitId(orderId, number),
      orderId,
      number,
      chainId: chain.id,
      signature,
      owner,
      reservedMicros,
      queuedAt: now
    }, cap)
    switch (queued) {
      case "queued":
        return "accepted" satisfies AcceptedPermit
      case "again":
        return "again" satisfies AcceptedPermit
      case "busy":
        return yield* refuse("busy", "another permit of this account is being submitted; try again when it is done")
      case "capped":
        return yield* refuseCapped(chain)
    }
  }
)
