/**
 * What becomes of a deposit, as a durable workflow: confirm → decide → pay or refund → guard until final.
 *
 * Every step is an activity that may run twice without harm: deciding is pure, a leg is signed once, broadcasting the
 * same bytes again changes nothing, moves of the status are conditional. After a crash the workflow goes on at the first
 * step that had not completed. Not for finding deposits: that is `Watching`.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Activity from "effect/workflow/Activity"
import { Chains } from "../../../ports/Chains.ts"
import { Deposits } from "../../../ports/Deposits.ts"
import { Transfers } from "../../../ports/Transfers.ts"
import { findChain } from "../../domain/chain/Chain.ts"
import type { Hex32 } from "../../domain/chain/Hex.ts"
import { OrderId } from "../../domain/order/Order.ts"
import type { Deposit } from "../../domain/transfer/Deposit.ts"
import { FinalVerdict } from "../../domain/transfer/JudgeDeposit.ts"
import { planRefund } from "../../domain/transfer/RefundPlan.ts"
import type { Status } from "../../domain/transfer/Status.ts"
import type { Transfer } from "../../domain/transfer/Transfer.ts"
import { countFilling } from "../Meters.ts"
import { persistently } from "../Persistently.ts"
import { confirmDeposit, Confirmation } from "./ConfirmDeposit.ts"
import { decideDeposit } from "./DecideDeposit.ts"
import { fillDeposit } from "./FillDeposit.ts"
import { FillingWorkflow } from "./FillingWorkflow.ts"
import type { FillingOutcome } from "./FillingWorkflow.ts"
import { refundDeposit } from "./RefundDeposit.ts"

const load = Effect.fnUntraced(function*(onchainId: Hex32) {
  const deposits = yield* Deposits
  const transfers = yield* Transfers
  const chains = yield* Chains
  const deposit = yield* deposits.find(onchainId)
  const chain = deposit === undefined ? undefined : findChain(chains.all, deposit.chainId)
  const transfer = deposit === undefined ? undefined : yield* transfers.findByOrder(OrderId.make(deposit.depositId))
  return deposit === undefined || chain === undefined || transfer === undefined
    ? undefined
    : { deposit, chain, transfer, chains: chains.all }
})

const move = Effect.fnUntraced(function*(transfer: Transfer, to: Status) {
  const transfers = yield* Transfers
  yield* transfers.move(transfer.id, { to, at: yield* Clock.currentTimeMillis })
})

/** Waiting shows as `depositing`, being deep enough as `pending`; a deposit that went away gives the request back. */
const confirm = Effect.fnUntraced(function*(loaded: NonNullable<Effect.Success<ReturnType<typeof load>>>) {
  const { chain, deposit, transfer } = loaded
  // A stranger's deposit may be refunded, but it never moves the request.
  const shown = planRefund(transfer, deposit).decides
  if (shown) yield* move(transfer, "depositing")
  const confirmation = yield* confirmDeposit(chain, deposit)
  if (shown) yield* move(transfer, confirmation._tag === "Confirmed" ? "pending" : "waiting")
  return confirmation
})

const settle = Effect.fnUntraced(function*(onchainId: Hex32) {
  const loaded = yield* load(onchainId).pipe(persistently("load"))
  if (loaded === undefined) return "foreign"
  const { chain, chains, transfer } = loaded
  const confirmation = yield* Activity.make({
    name: "confirm",
    success: Confirmation,
    execute: confirm(loaded).pipe(persistently("confirm"))
  })
  if (confirmation._tag === "Gone") return "gone"
  // The block in which it stands now: a reorganisation may have moved it since it was sighted.
  const deposit: Deposit = { ...loaded.deposit, block: confirmation.block }
  const verdict = yield* Activity.make({
    name: "decide",
    success: FinalVerdict,
    execute: decideDeposit(chains, transfer, deposit).pipe(persistently("decide"))
  })
  const reason = verdict._tag === "Fill" ? yield* fillDeposit(chains, transfer, deposit, verdict.amountOut) : verdict.reason
  return reason === undefined ? "filled" : yield* refundDeposit(chain, transfer, deposit, reason)
})

const close = Effect.fnUntraced(function*(onchainId: Hex32, outcome: FillingOutcome) {
  const deposits = yield* Deposits
  yield* deposits.close(onchainId, outcome)
  yield* countFilling(outcome)
})

export const layer = FillingWorkflow.toLayer(Effect.fn("Filling")(function*({ onchainId }) {
  const outcome = yield* settle(onchainId)
  yield* Activity.make({ name: "close", execute: close(onchainId, outcome).pipe(persistently("close")) })
  return outcome
}))
