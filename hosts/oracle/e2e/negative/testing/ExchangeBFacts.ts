/**
 * The facts of a world as transfers of exchange B, and the states of its depository's withdrawals, shown by its
 * interface.
 */
import { Effect, Layer, Redacted, Result } from "effect"
import type { Scope } from "effect"
import { ExchangeBQuorums, layer as observerLayer } from "../../../../../adapters/exchange-b/observe/Observer.ts"
import { layer as withdrawalsLayer } from "../../../../../adapters/exchange-b/observe/Withdrawals.ts"
import { observedEndpoints } from "../../../../../adapters/quorum/Endpoints.ts"
import { account } from "../../../../../property-tests/EvidenceChains.ts"
import type { Chain } from "../../../../../src/domain/chain/Chain.ts"
import { type Hex32, hexToBytes } from "../../../../../src/domain/encoding/Hex.ts"
import { NO_ORDER } from "../../../../../src/domain/families/exchange-a/evidence/Transfer.ts"
import type { TransactionEvidence } from "../../../../../src/domain/evidence/TransactionEvidence.ts"
import type { WithdrawalEvidence } from "../../../../../src/domain/evidence/withdrawal/WithdrawalEvidence.ts"
import { decodeExchangeBWithdrawal } from "../../../../../src/domain/families/exchange-b/ExchangeBWithdrawal.ts"
import { EXPIRY_MARGIN_MS } from "../../../../../src/domain/families/exchange-b/payment/Lifetime.ts"
import { serveJson } from "../../../../localnet/nodes/exchange-a/node/JsonServer.ts"
import { type FamilyUnderTest, oneTransferEach } from "./NegativeFamily.ts"
import type { WithdrawalFamilyUnderTest } from "./NegativeWithdrawals.ts"
import { noWithdrawal, noObservations, showing, transactionsOn } from "./Observed.ts"
import type { ShownWithdrawal } from "./Observed.ts"

interface Shown {
  readonly id: string
  readonly from: string
  readonly to: string
  readonly status: number
  readonly time: number
  readonly info: string
}

interface Exchange {
  readonly transactions: ReadonlyArray<Shown>
  /** Seconds. */
  readonly time: number
}

const SOLVER = account("exchangeb-vm", 5)

/** Exact digits: JSON numbers that are too large for JavaScript. */
const infoOf = (fields: Readonly<Record<string, bigint | string>>, memo: Hex32, expiredAt: number): string => {
  const members = Object.entries(fields).map(([name, value]) => `"${name}":${value}`)
  return `{${members.join(",")},"Memo":[${
    [...hexToBytes(memo)].join(",")
  }],"ExpiredAt":${expiredAt},"Sig":"","L1Sig":""}`
}

const transferInfo = (from: string, to: string, currency: string, amount: bigint, memo: Hex32): string => {
  const [asset, route] = currency === "0" ? [3n, 0n] : [BigInt(currency), 1n]
  return infoOf(
    {
      FromAccountIndex: from,
      ApiKeyIndex: 2n,
      ToAccountIndex: to,
      AssetIndex: asset,
      FromRouteType: route,
      ToRouteType: route,
      Amount: amount,
      USDCFee: 0n,
      Nonce: 1n
    },
    memo,
    1_900_000_000_000
  )
}

const shownOf = (
  { block, deposits: [deposit], finality, orderIds: [orderId], outcome, payments: [payment], transactionId }:
    TransactionEvidence
): Shown => {
  const from = deposit?.depositor ?? SOLVER
  const to = deposit?.depository ?? payment?.recipient ?? SOLVER
  const { amount, currency } = deposit ?? payment ?? { amount: 1n, currency: "0" }
  return {
    id: transactionId,
    from,
    to,
    time: block.time,
    status: finality._tag !== "Final" ? 1 : outcome === "succeeded" ? 3 : 4,
    info: transferInfo(from, to, currency, amount, deposit?.depositId ?? orderId ?? NO_ORDER)
  }
}

const transactionOf = ({ id, info, status, time }: Shown) => ({
  code: 200,
  hash: id,
  type: 12,
  status,
  info,
  block_height: 1_000,
  queued_at: time * 1_000 + 999
})

const logOf = ({ from, id, to }: Shown) => ({
  hash: id,
  status: "",
  pubdata: { l2_transfer_pubdata_v2: { from_account_index: from, to_account_index: to } }
})

const answerOf = ({ time, transactions }: Exchange, url: URL) => {
  if (url.pathname === "/api/v1/tx") {
    const found = transactions.find(({ id }) => id === url.searchParams.get("value"))
    return found === undefined
      ? { status: 400, body: { code: 21_500, message: "transaction not found" } }
      : { status: 200, body: transactionOf(found) }
  }
  return {
    status: 200,
    body: url.pathname === "/" ? { status: 200, network_id: 1, timestamp: time } : transactions.map(logOf)
  }
}

const open = (
  all: ReadonlyArray<Chain>,
  shownOn: (chain: Chain) => Exchange
): Effect.Effect<Layer.Layer<ExchangeBQuorums>, never, Scope.Scope> =>
  Effect.gen(function*() {
    const chains = all.filter(({ family }) => family.name === "exchangeb-vm")
    const opened = yield* Effect.forEach(chains, (chain) =>
      Effect.map(
        serveJson(async ({ url }) => ({ question: "", ...answerOf(shownOn(chain), url) }), () => undefined),
        (url) => [chain.id, Result.getOrThrow(observedEndpoints([Redacted.make(url)]))] as const
      ))
    return Layer.succeed(ExchangeBQuorums, { of: new Map(opened) })
  })

/** Evidence of exchangeb-vm at the wire. */
export const exchangeBFacts: FamilyUnderTest = {
  family: "exchangeb-vm",
  // An exchange that does not know a transaction cannot say which other exchange has it.
  shownAs: { "wrong-chain": "not-found", unread: "not-found" },
  ...oneTransferEach,
  open: (all) =>
    showing(noObservations, (shown) =>
      Effect.map(
        open(all, (chain) => ({
          time: 1_900_000_000,
          transactions: transactionsOn(chain, shown()).map(shownOf)
        })),
        (asked) => observerLayer.pipe(Layer.provide(asked))
      ))
}

/** The transfer that executes this withdrawal. */
const executing = (encoded: WithdrawalEvidence["withdrawal"], id: string, status: number, expiresAt: number): Shown => {
  const w = Result.getOrThrow(decodeExchangeBWithdrawal(encoded))
  const fields = {
    FromAccountIndex: w.fromAccountIndex,
    ApiKeyIndex: w.apiKeyIndex,
    ToAccountIndex: w.toAccountIndex,
    AssetIndex: w.assetIndex,
    FromRouteType: w.fromRouteType,
    ToRouteType: w.toRouteType,
    Amount: w.amount,
    USDCFee: w.usdcFee,
    Nonce: w.nonce
  }
  return {
    id,
    status,
    time: 1_700_000_000,
    from: `${w.fromAccountIndex}`,
    to: `${w.toAccountIndex}`,
    info: infoOf(fields, w.memo, expiresAt * 1_000 - EXPIRY_MARGIN_MS)
  }
}

const anyHash = "ab".repeat(40)

const withdrawalsOf = ({ depository }: Chain, shown: ShownWithdrawal | undefined): Exchange => {
  if (shown === undefined) return { transactions: [], time: 0 }
  const { claimed, evidence: { state, withdrawal } } = shown
  const ids: ReadonlyArray<string> = state._tag === "Executed" ? state.transactionIds : []
  const done = ids.map((id) => executing(withdrawal, id, 2, 1_900_000_000))
  // A claimed transaction that did not execute it was another transfer of the depository.
  const other = claimed === undefined || ids.includes(claimed)
    ? []
    : [{
      id: claimed,
      status: 3,
      time: 1_700_000_000,
      from: depository,
      to: SOLVER,
      info: transferInfo(depository, SOLVER, "0", 7n, NO_ORDER)
    }]
  const waiting = state._tag === "Unused" ? [executing(withdrawal, anyHash, 1, state.expiresAt ?? 1_900_000_000)] : []
  const over = state._tag === "SpentOtherwise" ? [executing(withdrawal, anyHash, 5, 1_900_000_000)] : []
  return {
    time: state._tag === "Unused" ? state.headTime : 1_900_000_000,
    transactions: [...done, ...other, ...waiting, ...over]
  }
}

/** The states of exchangeb-vm withdrawals at the wire. */
export const exchangeBWithdrawalFacts: WithdrawalFamilyUnderTest = {
  family: "exchangeb-vm",
  /**
   * Evidence that is read by its hash never belongs to another withdrawal or exchange. The exchange has one time for
   * the head and the final block.
   */
  cannotShow: [
    "evidence of another withdrawal",
    "evidence of another chain",
    "the final block stands at the expiration"
  ],
  open: (all) =>
    showing(noWithdrawal, (shown) =>
      Effect.map(
        open(all, (chain) => withdrawalsOf(chain, shown())),
        (asked) => Layer.mergeAll(observerLayer, withdrawalsLayer).pipe(Layer.provide(asked))
      ))
}
