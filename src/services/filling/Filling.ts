/**
 * The handling of a deposit as a durable workflow: confirm → decide → pay or refund → guard until final.
 *
 * Every step is an activity that can safely run twice: deciding is pure, each payment is signed once, broadcasting the
 * same bytes again changes nothing, and status changes are conditional. After a crash the workflow continues at the
 * first incomplete step. Deposits are found by `Watching`.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { Chains } from "../../../ports/chain/Chains.ts"
import { Deposits } from "../../../ports/store/orders/Deposits.ts"
import type { InventoryReservation } from "../../../ports/store/orders/InventoryReservations.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import type { Chain } from "../../domain/chain/Chain.ts"
import { servedChain } from "../../domain/chain/ChainNotServed.ts"
import type { Hex32 } from "../../domain/encoding/Hex.ts"
import { deliverySettles } from "../../domain/hub/settling/SettledExcess.ts"
import type { Deposit } from "../../domain/transfer/deposit/Deposit.ts"
import type { FailReason } from "../../domain/transfer/FailReason.ts"
import { planRefund } from "../../domain/transfer/refund/RefundPlan.ts"
import type { Status } from "../../domain/transfer/Status.ts"
import type { Transfer } from "../../domain/transfer/Transfer.ts"
import { provenDepositor } from "../../domain/transfer/deposit/ProvenDepositor.ts"
import type { Route } from "../quoting/market/MarketFacts.ts"
import { countFilling } from "../operations/Meters.ts"
import { retryForever } from "../polling/RetryForever.ts"
import { confirmRecorded } from "./ConfirmRecorded.ts"
import { decideDeposit, isGone } from "./DecideDeposit.ts"
import { holdOnSight, releaseSponsor } from "./HoldSponsor.ts"
import type { ConfirmedClaimant } from "./MintedTransaction.ts"
import { reservedOnSight, reserveOnSight } from "./ReserveInventory.ts"
import { fillDeposit } from "./fill/FillDeposit.ts"
import { followDelivery } from "./fill/FollowDelivery.ts"
import { step } from "./FillingSteps.ts"
import type { FillResult } from "./FillResult.ts"
import { FillingWorkflow } from "./FillingWorkflow.ts"
import type { FillingOutcome } from "./FillingWorkflow.ts"
import { tellForeignSweep } from "./refunds/ForeignSweep.ts"
import { followRefund, refundDeposit } from "./refunds/RefundDeposit.ts"
import { loadDropped, returnDropped } from "./refunds/ReturnDropped.ts"
import { returnExcess } from "./refunds/ReturnExcess.ts"
import { servedRoute } from "./ServedRoute.ts"

interface Loaded {
  readonly deposit: Deposit
  /** The current one. */
  readonly sighting: number
  readonly transfer: Transfer
  /** The chain of the deposit. */
  readonly chain: Chain
  readonly route: Route
}

/**
 * Undefined for a deposit that names no transfer of ours. Transfers are stored before anybody can know their order id.
 */
const load = Effect.fnUntraced(function*(onchainId: Hex32) {
  const transfers = yield* Transfers
  const chains = yield* Chains
  const found = yield* transfers.findByDeposit(onchainId)
  if (found === undefined) return undefined
  const chain = yield* Effect.fromResult(servedChain(chains.all, found.deposit.chainId))
  const route = yield* servedRoute(chains.all, found.transfer)
  return { ...found, chain, route } satisfies Loaded
})

const move = Effect.fnUntraced(
  function*(transfer: Transfer, to: Status, reserves: ReadonlyArray<InventoryReservation> = []) {
    const transfers = yield* Transfers
    yield* transfers.move(transfer.id, { to, at: yield* Clock.currentTimeMillis, reserves })
  }
)

/**
 * The request shows `depositing` while it waits and `pending` once the deposit is deep enough. When the deposit is
 * gone, the request can be paid again.
 */
const confirm = Effect.fnUntraced(function*({ chain, deposit, route, transfer }: Loaded, sighting: number) {
  // A stranger's deposit changes the request only when it turns out to fill it.
  const shown = planRefund(transfer, deposit).decides
  const reserved = shown ? reservedOnSight(route, transfer, deposit) : undefined
  if (shown) yield* move(transfer, "depositing", reserved)
  if (reserved === undefined) yield* reserveOnSight(route, transfer, deposit)
  yield* holdOnSight(transfer, { deposit, sighting })
  // All deposits at deposit addresses have the same sender, the sweeping operator. There the address stands for the
  // user.
  const confirmation = yield* confirmRecorded(
    chain,
    { deposit, sighting },
    transfer.terms.depositAddress?.address ?? provenDepositor(transfer, deposit),
    releaseSponsor(transfer, { deposit, sighting })
  )
  if (shown) yield* move(transfer, confirmation._tag === "Confirmed" ? "pending" : "waiting")
  // Last, so that a retry of the code above does not report it twice.
  if (confirmation._tag === "Confirmed") yield* tellForeignSweep(chain, transfer, deposit)
  return confirmation
})

/** Only once the fill is final: if the fill is lost, the whole deposit is refunded. */
const concludeFilled = ({ route: { origin }, transfer }: Loaded, claimant: ConfirmedClaimant) =>
  Effect.as(
    returnExcess(origin, transfer, claimant, (paid, deposit) => deliverySettles(transfer, paid, deposit)),
    "filled" as const
  )

/**
 * SECURITY: what was signed for a deposit that is gone may be in a block at any time. An execution that begins after an
 * earlier one has signed it follows it to its end as that one would have: it is guarded, and the loss is booked. Where
 * the quorum shows another deposit in its place, that one's filling does.
 */
const followSigned = Effect.fnUntraced(function*(loaded: Loaded, sighting: number) {
  const { chain, deposit, route, transfer } = loaded
  const deposits = yield* Deposits
  const now = yield* deposits.find(deposit.onchainId).pipe(retryForever("load"))
  if (now?.sighting !== sighting) return "gone" as const
  yield* followDelivery(route, transfer, { deposit, sighting })
  yield* followRefund(chain, transfer, deposit)
  return "gone" as const
})

/**
 * How a deposit ends that was to be refunded and was not. Its fill may have been signed meanwhile, by an execution that
 * had judged an earlier sighting otherwise and leaves it to this one (REFUND-17). What is not its any more, or was
 * reverted for good, is judged again.
 */
const concludeUnrefunded = Effect.fnUntraced(
  function*(loaded: Loaded, claimant: ConfirmedClaimant, outcome: Exclude<FillingOutcome, "refunded">) {
    const { deposit: { onchainId }, sighting } = claimant
    if (outcome === "gone") return yield* followSigned(loaded, sighting)
    const followed = yield* followDelivery(loaded.route, loaded.transfer, claimant)
    if (followed?._tag === "Filled") return yield* concludeFilled(loaded, claimant)
    if (followed?._tag === "Moved") return "gone"
    if (followed === undefined && outcome !== "filled") return outcome
    const deposits = yield* Deposits
    yield* deposits.sightAgain({ onchainId, sighting }).pipe(retryForever("close"))
    return "gone"
  }
)

const refund = Effect.fnUntraced(function*(loaded: Loaded, claimant: ConfirmedClaimant, reason: FailReason) {
  const outcome = yield* refundDeposit(loaded.chain, loaded.transfer, claimant, reason)
  return outcome === "refunded" ? outcome : yield* concludeUnrefunded(loaded, claimant, outcome)
})

const conclude = (loaded: Loaded, claimant: ConfirmedClaimant, result: FillResult) => {
  switch (result._tag) {
    case "Filled":
      return concludeFilled(loaded, claimant)
    case "Moved":
      return Effect.succeed("gone" as const)
    case "Contended":
      return refund(loaded, claimant, "DOUBLE_SPEND")
    case "Refund":
      return refund(loaded, claimant, result.reason)
  }
}

const settle = Effect.fnUntraced(function*(loaded: Loaded, sighting: number) {
  const { chain, route, transfer } = loaded
  const confirmation = yield* step("confirm", confirm(loaded, sighting).pipe(retryForever("confirm")))
  if (confirmation._tag === "Gone") return yield* followSigned(loaded, sighting)
  // Its current block: a reorg may have moved it since it was seen.
  const deposit: Deposit = { ...loaded.deposit, block: confirmation.block }
  const claimant: ConfirmedClaimant = { deposit, sighting, mintable: confirmation.mintable }
  const decide = (name: "decide" | "decide.again") =>
    step(name, decideDeposit(route, chain, transfer, claimant).pipe(retryForever(name)))
  const verdict = yield* decide("decide")
  if (isGone(verdict)) return yield* followSigned(loaded, sighting)
  const first: FillResult = verdict._tag === "Refund"
    ? verdict
    : yield* fillDeposit("fill", route, transfer, deposit, verdict)
  if (first._tag !== "Contended") return yield* conclude(loaded, claimant, first)
  // Another deposit was paid between verdict and signature. Deciding again tells whether it really is another one.
  const again = yield* decide("decide.again")
  if (isGone(again)) return yield* followSigned(loaded, sighting)
  const second: FillResult = again._tag === "Refund"
    ? again
    : yield* fillDeposit("fill.again", route, transfer, deposit, again)
  return yield* conclude(loaded, claimant, second)
})

/** However it ended, the deposit needs no sponsor money, inventory or exposure any more. */
const close = Effect.fnUntraced(
  function*(onchainId: Hex32, sighting: number, loaded: Loaded | undefined, outcome: FillingOutcome) {
    const deposits = yield* Deposits
    if (loaded !== undefined) yield* releaseSponsor(loaded.transfer, { deposit: loaded.deposit, sighting })
    yield* deposits.close(onchainId, sighting, outcome, yield* Clock.currentTimeMillis)
    yield* countFilling(outcome)
  }
)

/** Of deposits that name no request of ours, only sweeps of our deposit addresses are handled. */
const settleNameless = Effect.fnUntraced(function*(onchainId: Hex32, sighting: number) {
  const dropped = yield* loadDropped(onchainId, sighting).pipe(retryForever("load"))
  yield* Effect.logInfo(
    dropped === undefined
      ? "a deposit names no request of ours"
      : `what was swept from a deposit address under ${
        dropped.order === "dropped" ? "no order" : "a forgotten order"
      } goes back`
  )
  return dropped === undefined ? "foreign" as const : yield* returnDropped(dropped, sighting)
})

/**
 * SECURITY: an execution that continues after a restart may find the record of a later sighting: another amount, another
 * order. Its own steps were made for what was recorded before, and confirm nothing of that (QUORUM-11). So nothing is
 * paid or booked here. The later sighting has a filling of its own, which takes over what was signed.
 */
const leave = Effect.fnUntraced(function*({ deposit, transfer }: Loaded, sighting: number) {
  yield* step("close", releaseSponsor(transfer, { deposit, sighting }).pipe(retryForever("close")))
  yield* Effect.logInfo("the deposit has a later sighting, whose filling goes on with it")
  return "gone" as const
})

const fill = Effect.fnUntraced(function*(onchainId: Hex32, sighting: number, loaded: Loaded | undefined) {
  if (loaded !== undefined && loaded.sighting !== sighting) return yield* leave(loaded, sighting)
  if (loaded !== undefined) yield* Effect.logInfo("a deposit is looked after")
  const outcome = loaded === undefined ? yield* settleNameless(onchainId, sighting) : yield* settle(loaded, sighting)
  yield* step("close", close(onchainId, sighting, loaded, outcome).pipe(retryForever("close")))
  yield* Effect.logInfo(`the deposit is ${outcome}`)
  return outcome
})

/** The fields that name a filling in every log line and in its span. */
const namesOf = (onchainId: Hex32, { chain, transfer }: Loaded): Readonly<Record<string, string>> => ({
  requestId: transfer.id,
  chain: chain.slug,
  deposit: onchainId
})

export const layer = FillingWorkflow.toLayer(
  Effect.fn("Filling")(function*({ onchainId, sighting }) {
    const loaded = yield* load(onchainId).pipe(retryForever("load"))
    const names = loaded === undefined ? { deposit: onchainId } : namesOf(onchainId, loaded)
    yield* Effect.annotateCurrentSpan(names)
    return yield* fill(onchainId, sighting, loaded).pipe(Effect.annotateLogs(names))
  })
)
