/**
 * All tables of a store in memory, with the lookups that its ports need. A key of several parts is their text with
 * spaces between, because no part has one.
 */
import type { Cursor } from "../../ports/chain/DepositWatcher.ts"
import type { Exposure } from "../../ports/store/orders/Exposures.ts"
import type { InventoryReservation } from "../../ports/store/orders/InventoryReservations.ts"
import type { TransferEvent } from "../../ports/store/orders/TransferHistory.ts"
import type { Valuation } from "../../ports/store/ledger/Bookings.ts"
import type { Payout } from "../../ports/store/ledger/Payouts.ts"
import type { RefundDecision, UnattestedTotal } from "../../ports/store/ledger/UnattestedRefunds.ts"
import type { Restoration } from "../../ports/store/operations/Restorations.ts"
import type { Hex32 } from "../../src/domain/encoding/Hex.ts"
import type { Session } from "../../src/domain/session/Session.ts"
import type { KeptChallenge } from "../../src/domain/api-key/JudgeSignIn.ts"
import type { Waiting } from "../../src/domain/market/FreeInventory.ts"
import type { BudgetLimits } from "../../src/domain/sponsorship/Budget.ts"
import type { Charge } from "../../src/domain/sponsorship/Charge.ts"
import type { Debt } from "../../src/domain/ledger/Debts.ts"
import type { KeptNonceMapping } from "../../src/domain/nonce-mapping/NonceMapping.ts"
import type { Pause } from "../../src/domain/pause/Pause.ts"
import type { RequestId } from "../../src/domain/transfer/RequestId.ts"
import { isTerminal } from "../../src/domain/transfer/Status.ts"
import type { Transfer } from "../../src/domain/transfer/Transfer.ts"
import type { AnswerRow, ApiKeyRow, DeliveryRow, WebhookRow } from "./rows/ClientRows.ts"
import type {
  ArrivalRow,
  BalanceRow,
  CallLossRow,
  EntryRow,
  HeldRefundRow,
  HoldRow,
  LossRow,
  MovementRow,
  SettledRow,
  SpentRow,
  UnattestedRow
} from "./rows/LedgerRows.ts"
import type {
  AddressRequestRow,
  AddressRow,
  ClaimRow,
  CostRow,
  CursorRow,
  DepositKeyRow,
  DepositRow,
  DirectPaymentRow,
  PaymentRow,
  PermitRow,
  ReindexRow,
  SequenceRow,
  SettlementRow,
  SubmissionRow,
  SweepRow,
  VariantRow
} from "./rows/OrderRows.ts"
import type { ActivityRow, ClockRow, DeferredRow, ExecutionRow } from "./rows/WorkflowRows.ts"
import { makeTable } from "./Table.ts"
import type { Journal } from "./Table.ts"

/** The key of a row that is named by several values. */
export const keyOf = (...parts: ReadonlyArray<string | number | bigint>): string => parts.join(" ")

const transferTables = (journal: Journal) => {
  const transfers = makeTable<Transfer>(journal)
  const addressRequests = makeTable<AddressRequestRow>(journal)
  const reindexes = makeTable<ReindexRow>(journal)
  return {
    transfers,
    transferByOrder: transfers.lookup(({ orderId }) => orderId),
    transfersOfKey: transfers.lookup(({ apiKeyId }) => apiKeyId),
    /** By `unended`. */
    unendedTransfers: transfers.lookup(({ status }) =>
      status === "waiting" || isTerminal(status) ? undefined : "unended"
    ),
    /** By request. */
    events: makeTable<ReadonlyArray<TransferEvent>>(journal),
    /** By address. */
    addresses: makeTable<AddressRow>(journal),
    /** By address: when its quote was dropped. */
    droppedAddresses: makeTable<number>(journal),
    /** By request. */
    addressRequests,
    requestsOfAddress: addressRequests.lookup(({ address }) => address),
    /** By quoted chain, address and chain of the reindex. */
    reindexes,
    reindexesOf: reindexes.lookup(({ address }) => address),
    /** By order. */
    directPayments: makeTable<DirectPaymentRow>(journal),
    /** By chain. */
    directCursors: makeTable<Cursor>(journal)
  }
}

const depositTables = (journal: Journal) => {
  const deposits = makeTable<DepositRow>(journal)
  const settlements = makeTable<SettlementRow>(journal)
  const sweeps = makeTable<SweepRow>(journal)
  const permits = makeTable<PermitRow>(journal)
  const depositKeys = makeTable<DepositKeyRow>(journal)
  return {
    /** By onchain id. */
    deposits,
    depositsOfOrder: deposits.lookup(({ depositId }) => depositId),
    depositsIn: deposits.lookup(({ state }) => state),
    depositsByTransaction: deposits.lookup(({ transactionId }) => transactionId),
    /** By chain. */
    cursors: makeTable<CursorRow>(journal),
    /** By deposit. */
    settlements,
    settlementsOfOrder: settlements.lookup(({ orderId }) => orderId),
    settlementsIn: settlements.lookup(({ state }) => state),
    settlementsOf: settlements.lookup(({ submission }) => submission),
    submissions: makeTable<SubmissionRow>(journal),
    sweeps,
    sweepsIn: sweeps.lookup(({ state }) => state),
    sweepsOfAddress: sweeps.lookup(({ address }) => address),
    permits,
    permitsOfOrder: permits.lookup(({ orderId }) => orderId),
    permitsIn: permits.lookup(({ state }) => state),
    /** By address. */
    depositKeys,
    freeKeys: depositKeys.lookup(({ family, orderId }) => orderId === undefined ? family : undefined),
    claimedKeys: depositKeys.lookup(({ family, orderId }) => orderId === undefined ? undefined : family),
    keysOfOrder: depositKeys.lookup(({ orderId }) => orderId),
    /** By family, generation and number. */
    keysAt: depositKeys.lookup(({ family, generation, number }) => keyOf(family, generation, number)),
    /** By family: the greatest generation that has begun. */
    keyGenerations: makeTable<number>(journal),
    /** By day and key: bytes. */
    calldata: makeTable<{ readonly day: number; readonly key: string; readonly bytes: number }>(journal)
  }
}

const paymentTables = (journal: Journal) => {
  const payments = makeTable<PaymentRow>(journal)
  const variants = makeTable<VariantRow>(journal)
  const paymentClaims = makeTable<ClaimRow>(journal)
  const exposures = makeTable<Exposure>(journal)
  const reservations = makeTable<InventoryReservation>(journal)
  const waiting = makeTable<InventoryReservation & Waiting>(journal)
  const holdingOf = ({ chainId, currency, holding }: Pick<InventoryReservation, "chainId" | "currency" | "holding">) =>
    keyOf(chainId, currency, holding)
  return {
    /** By order and purpose. */
    payments,
    paymentsOfOrder: payments.lookup(({ orderId }) => orderId),
    /** Where the chain names a payment otherwise than it was signed, by the chain's name. */
    paymentsAs: payments.lookup(({ transactionId }) => transactionId),
    paymentsAt: payments.lookup(({ account, chainId, sequence }) => keyOf(chainId, account, sequence)),
    /** By chain: signed or sent, and in no block yet. */
    paymentsInFlight: payments.lookup(({ chainId, state }) =>
      state === "signed" || state === "sent" ? String(chainId) : undefined
    ),
    /** By transaction. */
    variants,
    variantsAt: variants.lookup(({ account, chainId, sequence }) => keyOf(chainId, account, sequence)),
    /** By transaction. */
    costs: makeTable<ReadonlyArray<CostRow>>(journal),
    /** By chain and claim. */
    paymentClaims,
    claimsAt: paymentClaims.lookup(({ account, chainId, sequence }) => keyOf(chainId, account, sequence)),
    /** By chain and account. */
    sequences: makeTable<SequenceRow>(journal),
    /** By deposit. */
    exposures,
    exposuresOn: exposures.lookup(({ chainId }) => String(chainId)),
    /** By part and order. */
    reservations,
    reservationsOf: reservations.lookup(holdingOf),
    /** By order and currency. */
    waiting,
    waitingOf: waiting.lookup(holdingOf),
    waitingOfOrder: waiting.lookup(({ orderId }) => orderId)
  }
}

const ledgerTables = (journal: Journal) => {
  const balances = makeTable<BalanceRow>(journal)
  const entries = makeTable<EntryRow>(journal)
  const spent = makeTable<SpentRow>(journal)
  return {
    movements: makeTable<MovementRow>(journal),
    /** By account and currency. */
    balances,
    entries,
    entriesOf: entries.lookup(({ owner }) => owner),
    debts: makeTable<Debt>(journal),
    /** By chain. */
    creditCursors: makeTable<Cursor>(journal),
    /** By chain and transaction. */
    arrivals: makeTable<ArrivalRow>(journal),
    payouts: makeTable<Payout>(journal),
    losses: makeTable<LossRow>(journal),
    /** By order. */
    callLosses: makeTable<CallLossRow>(journal),
    /** By deposit. */
    unattested: makeTable<UnattestedRow>(journal),
    heldRefunds: makeTable<HeldRefundRow>(journal),
    decisions: makeTable<RefundDecision>(journal),
    /** By chain. */
    unattestedTotals: makeTable<UnattestedTotal>(journal),
    /** By deposit, chain and currency. */
    valuations: makeTable<Valuation & { readonly deposit: Hex32 }>(journal),
    /** By key. */
    limits: makeTable<BudgetLimits>(journal),
    /** By key and scope. */
    spent,
    /** By request. */
    holds: makeTable<HoldRow>(journal),
    claims: makeTable<ReadonlySet<string>>(journal),
    /** By request and amount. */
    charges: makeTable<Charge>(journal),
    /** By request. */
    settled: makeTable<SettledRow>(journal),
    /** By address. */
    sponsorships: makeTable<RequestId>(journal)
  }
}

interface StoredRestoration extends Restoration {
  readonly settledAt: number | undefined
  /** By account. */
  readonly fences: Readonly<Record<string, bigint>>
}

const otherTables = (journal: Journal) => {
  const keys = makeTable<ApiKeyRow>(journal)
  const webhooks = makeTable<WebhookRow>(journal)
  const deliveries = makeTable<DeliveryRow>(journal)
  return {
    pauses: makeTable<Pause>(journal),
    /** By chain. */
    finalBlocks: makeTable<Cursor>(journal),
    /** By chain. */
    restorations: makeTable<StoredRestoration>(journal),
    keys,
    keysOfWallet: keys.lookup(({ key }) => key.wallet),
    answers: makeTable<AnswerRow>(journal),
    challenges: makeTable<KeptChallenge>(journal),
    sessions: makeTable<{ readonly hash: Hex32; readonly session: Session }>(journal),
    /** By chain, wallet and nonce. */
    nonceMappings: makeTable<KeptNonceMapping>(journal),
    webhooks,
    webhooksOf: webhooks.lookup(({ key }) => key),
    deliveries
  }
}

const workflowTables = (journal: Journal) => {
  const executions = makeTable<ExecutionRow>(journal)
  const activities = makeTable<ActivityRow>(journal)
  const deferreds = makeTable<DeferredRow>(journal)
  const isOver = ({ result }: ExecutionRow) => result?._tag === "Complete"
  return {
    executions,
    /** By `unfinished`. */
    unfinished: executions.lookup((row) => isOver(row) ? undefined : "unfinished"),
    /** By workflow. */
    unfinishedOf: executions.lookup((row) => isOver(row) ? undefined : row.workflow),
    /** By execution, name and attempt. */
    activities,
    activitiesOf: activities.lookup(({ execution }) => execution),
    /** By execution and name. */
    deferreds,
    deferredsOf: deferreds.lookup(({ execution }) => execution),
    /** By execution and name of the deferred. */
    clocks: makeTable<ClockRow>(journal)
  }
}

/** Empty tables, whose writes are noted in the journal. */
export const makeTables = (journal: Journal) => ({
  ...transferTables(journal),
  ...depositTables(journal),
  ...paymentTables(journal),
  ...ledgerTables(journal),
  ...otherTables(journal),
  ...workflowTables(journal)
})

export type Tables = ReturnType<typeof makeTables>
