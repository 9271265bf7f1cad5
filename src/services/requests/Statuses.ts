/**
 * Everything known of a request, in the words of the status endpoint and of the history (STATUS-3, STATUS-6).
 * Read-only.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Result from "effect/Result"
import { Chains } from "../../../ports/chain/Chains.ts"
import { DepositAddresses } from "../../../ports/store/orders/DepositAddresses.ts"
import { SettlementChain } from "../../../ports/hub/SettlementChain.ts"
import { DirectPayments } from "../../../ports/store/orders/DirectPayments.ts"
import { Settlements } from "../../../ports/store/orders/Settlements.ts"
import type { RecordedSettlement } from "../../../ports/store/orders/Settlements.ts"
import type { SeenDirectPayment } from "../../../ports/store/orders/DirectPayments.ts"
import { SponsorHolds } from "../../../ports/store/ledger/SponsorHolds.ts"
import type { StoreUnavailable } from "../../../ports/store/StoreUnavailable.ts"
import { TransferHistory } from "../../../ports/store/orders/TransferHistory.ts"
import type { RecordedDeposit, RecordedPayment, TransferEvent } from "../../../ports/store/orders/TransferHistory.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import { parseTransactionId } from "../../domain/chain/TransactionId.ts"
import type { OrderId } from "../../domain/order/Order.ts"
import type { AppFee, AppFeeShare } from "../../domain/quote/pricing/AppFees.ts"
import { assembleActual } from "../../domain/quote/assemble/AssembleActual.ts"
import type { WireFeeSponsorship } from "../../domain/quote/wire/FeeSponsorship.ts"
import { appFeesOf } from "../../domain/transfer/AppFeesOf.ts"
import { unpaidOf } from "../../domain/transfer/payment/MissingDeposit.ts"
import { deliveryOf } from "../../domain/transfer/payment/DeliveryOf.ts"
import { excessOf } from "../../domain/transfer/refund/Excess.ts"
import type { RequestId } from "../../domain/transfer/RequestId.ts"
import { isUsersOwn } from "../../domain/transfer/Transfer.ts"
import type { Transfer } from "../../domain/transfer/Transfer.ts"
import { refundRecords } from "./RefundParts.ts"
import type { RefundRecord } from "./RefundParts.ts"
import { sponsorCurrency } from "../quoting/Sponsoring.ts"

/** All that the store has of a transfer, read at one moment. */
export interface KnownTransfer {
  readonly transfer: Transfer
  readonly deposits: ReadonlyArray<RecordedDeposit>
  readonly payments: ReadonlyArray<RecordedPayment>
  readonly refunds: ReadonlyArray<RefundRecord>
  /** The user's own transaction of a direct payment. Undefined until it was seen. */
  readonly send: SeenDirectPayment | undefined
  /** The settlement of its filled or refunded deposits on the hub, oldest first. */
  readonly settlements: ReadonlyArray<RecordedSettlement>
  /** Who paid which fees, and who was quoted to. Undefined when no sponsor was asked for. */
  readonly feeSponsorship: WireFeeSponsorship | undefined
  /** Of the filled deposit, or as quoted until there is one. */
  readonly appFees: ReadonlyArray<AppFee & AppFeeShare>
}

/** A request with all of its changes, oldest first. Its state is that of the last change. */
export interface KnownHistory extends KnownTransfer {
  readonly events: ReadonlyArray<TransferEvent>
}

/** The transfer in the state into which a change has brought it. */
export const transferAt = (transfer: Transfer, { at, failReason, status }: TransferEvent): Transfer => ({
  ...transfer,
  status,
  failReason,
  updatedAt: at
})

/** The filled part of the deposit. */
const amountIn = (
  transfer: Transfer,
  deposits: ReadonlyArray<RecordedDeposit>,
  payments: ReadonlyArray<RecordedPayment>
): bigint => {
  const fill = deliveryOf(payments)
  const filled = deposits.find(({ deposit }) => deposit.onchainId === fill?.onchainId)
  if (filled === undefined) return transfer.terms.amountIn
  const unpaid = fill === undefined ? undefined : unpaidOf(transfer, [fill], filled.deposit)
  return filled.deposit.amount - (unpaid ?? excessOf(transfer, filled.deposit))
}

export class Statuses extends Context.Service<Statuses, {
  /** Undefined for an id that does not exist. */
  readonly find: (id: RequestId) => Effect.Effect<KnownTransfer | undefined, StoreUnavailable>
  /**
   * The same with its changes, as of the last of them. The statements of one answer see the store at different times:
   * by the request alone it could have ended, and its end not be among its changes.
   */
  readonly findHistory: (id: RequestId) => Effect.Effect<KnownHistory | undefined, StoreUnavailable>
  readonly findByOrder: (id: OrderId) => Effect.Effect<KnownTransfer | undefined, StoreUnavailable>
  /** Transfers that a transaction paid into or out of, on any chain. Empty for a text that is no transaction id. */
  readonly findByTransaction: (hash: string) => Effect.Effect<ReadonlyArray<KnownTransfer>, StoreUnavailable>
  /** Transfers of a deposit address, on any chain, newest first. Empty for a text that is no address. */
  readonly findByDepositAddress: (
    address: string,
    limit: number
  ) => Effect.Effect<ReadonlyArray<KnownTransfer>, StoreUnavailable>
  /** A transfer with everything else that is known of it. */
  readonly describe: (transfer: Transfer) => Effect.Effect<KnownTransfer, StoreUnavailable>
  /** A text that differs as soon as what a status shows differs. Undefined for an id that does not exist. */
  readonly version: (id: RequestId) => Effect.Effect<string | undefined, StoreUnavailable>
  /** The sequence of the last change of each of these requests. One that does not exist is left out. */
  readonly lastChanges: (
    ids: ReadonlyArray<RequestId>
  ) => Effect.Effect<ReadonlyMap<RequestId, number>, StoreUnavailable>
  /** Changes after a sequence, −1 for all, oldest first. */
  readonly changesAfter: (
    id: RequestId,
    sequence: number
  ) => Effect.Effect<ReadonlyArray<TransferEvent>, StoreUnavailable>
}>()("causeway/services/Statuses") {}

export const layer = Layer.effect(
  Statuses,
  Effect.gen(function*() {
    const transfers = yield* Transfers
    const history = yield* TransferHistory
    const chains = yield* Chains
    const directPayments = yield* DirectPayments
    const holds = yield* SponsorHolds
    const addresses = yield* DepositAddresses
    const kept = yield* Settlements
    const currency = sponsorCurrency(yield* SettlementChain)

    /** With the amounts that were really paid, once the fill is final. */
    const sponsorshipOf = Effect.fnUntraced(
      function*({ id, quote: { feeSponsorship }, terms: { sponsorship } }: Transfer) {
        if (feeSponsorship === undefined || sponsorship === undefined) return feeSponsorship
        const end = yield* holds.settled(id)
        return end === undefined
          ? feeSponsorship
          : { ...feeSponsorship, actual: assembleActual(feeSponsorship.quoted, sponsorship, { ...end, currency }) }
      }
    )

    const describe = Effect.fnUntraced(function*(transfer: Transfer) {
      const [deposits, payments] = yield* Effect.all([
        history.deposits(transfer.orderId),
        history.payments(transfer.orderId)
      ])
      const send = isUsersOwn(transfer.terms) ? yield* directPayments.find(transfer.orderId) : undefined
      return {
        transfer,
        deposits,
        payments,
        send,
        feeSponsorship: yield* sponsorshipOf(transfer),
        refunds: refundRecords(transfer, deposits, payments),
        settlements: yield* kept.ofOrder(transfer.orderId),
        appFees: appFeesOf(transfer, amountIn(transfer, deposits, payments))
      }
    })

    const complete = (transfer: Transfer | undefined) =>
      transfer === undefined ? Effect.succeed(undefined) : describe(transfer)

    const find: Statuses["Service"]["find"] = Effect.fn("Statuses.find")((id) =>
      Effect.flatMap(transfers.find(id), complete)
    )

    const findHistory: Statuses["Service"]["findHistory"] = Effect.fn("Statuses.findHistory")(function*(id) {
      // First: what is read of payments and deposits afterwards is at least as new.
      const events = yield* history.eventsAfter(id, -1)
      const known = yield* find(id)
      const last = events.at(-1)
      if (known === undefined || last === undefined) return undefined
      return { ...known, transfer: transferAt(known.transfer, last), events }
    })

    const findByOrder: Statuses["Service"]["findByOrder"] = Effect.fn("Statuses.findByOrder")((id) =>
      Effect.flatMap(transfers.findByOrder(id), complete)
    )

    /** The transaction ids that a text can mean, by the rules of each served family. */
    const spellings = (hash: string) => {
      const parsed = chains.all.map(({ family }) => parseTransactionId(family, hash))
      return [...new Set(parsed.filter(Result.isSuccess).map(({ success }) => success))]
    }

    const findByTransaction: Statuses["Service"]["findByTransaction"] = Effect.fn("Statuses.findByTransaction")(
      function*(hash) {
        const ids = yield* history.ofTransactions(spellings(hash))
        const found = yield* Effect.forEach(ids, find)
        return found.filter((known) => known !== undefined)
      }
    )

    const findByDepositAddress: Statuses["Service"]["findByDepositAddress"] = Effect.fn(
      "Statuses.findByDepositAddress"
    )(function*(text, limit) {
      const parsed = chains.all.map(({ family, network }) => family.addresses(network).parse(text))
      const accounts = [...new Set(parsed.filter(Result.isSuccess).map(({ success }) => success))]
      const ids = yield* Effect.forEach(accounts, (account) => addresses.requestsOf(account, limit))
      const found = yield* Effect.forEach(ids.flat(), find)
      return found.filter((known) => known !== undefined)
    })

    return Statuses.of({
      find,
      findHistory,
      findByOrder,
      findByTransaction,
      findByDepositAddress,
      describe,
      version: history.version,
      lastChanges: history.lastChanges,
      changesAfter: history.eventsAfter
    })
  })
)
