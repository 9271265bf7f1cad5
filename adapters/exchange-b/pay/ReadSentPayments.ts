/** Transactions of the solver's account on exchange B as the store's counterpart: with API key, nonce and order. */
import { Effect, Result } from "effect"
import type { SentPayment, SentTransaction } from "../../../ports/chain/SentTransactions.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { asAddress } from "../../../src/domain/families/AddressCodec.ts"
import { orderIdIn } from "../../../src/domain/families/exchange-b/evidence/Transfer.ts"
import { exchangeBCurrency } from "../../../src/domain/families/exchange-b/ExchangeBWithdrawal.ts"
import { laneOf } from "../../../src/domain/families/exchange-b/payment/Lane.ts"
import { isOver, LIFETIME_MS } from "../../../src/domain/families/exchange-b/payment/Lifetime.ts"
import { paysNobody } from "../../../src/domain/families/exchange-b/payment/PaymentFate.ts"
import type { ShownTransfer } from "../../../src/domain/families/exchange-b/payment/PaymentFate.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import type { RawTransaction } from "../decode/NodeAnswers.ts"
import { nonceIn } from "../decode/PaymentAnswers.ts"
import { isDone, readRaw } from "../observe/ReadTransaction.ts"
import type { ExchangeBClient } from "../rpc/ExchangeBClient.ts"
import type { ExchangeBFault, ExchangeBRead } from "../rpc/ExchangeBRpc.ts"
import { tokenFor } from "./Landing.ts"
import { blockOf, readListed, readMillis, shownIn } from "./ReadSent.ts"
import { idOf } from "./SignTransfer.ts"
import type { SolverAccount } from "./SolverAccount.ts"

const paymentIn = ({ transfer }: ShownTransfer): SentPayment | undefined => {
  const id = orderIdIn(transfer.memo)
  const currency = exchangeBCurrency(transfer.assetIndex, transfer.toRouteType)
  return id === undefined || paysNobody(transfer) || Result.isFailure(currency) ? undefined : {
    orderId: OrderId.make(id),
    recipient: asAddress(transfer.toAccountIndex.toString()),
    currency: currency.success,
    amount: transfer.amount
  }
}

/** What an endpoint has shown as executed never changes. So many are kept of each. */
const KEPT = 10_000

const executed = new WeakMap<ExchangeBClient, Map<string, RawTransaction>>()

/** The exchange answers few questions a minute, and a restoration asks for everything again and again. */
const readKept = Effect.fnUntraced(
  function*(client: ExchangeBClient, hash: string, deadline: number) {
    const kept = executed.get(client) ?? new Map<string, RawTransaction>()
    const found = kept.get(hash) ?? (yield* readRaw(client, hash, deadline))
    if (found !== undefined && isDone(found) && kept.size < KEPT) executed.set(client, kept.set(hash, found))
    return found
  }
)

/** The exchange's number of a change of an account's mode (EXCHANGEB-28). */
const ACCOUNT_CONFIG = 41

/** A transaction that is neither executed nor over, and may become either. */
const UNDECIDED = "undecided"

export const sentReads = (solver: SolverAccount["Service"]) => {
  /** Undefined for what another account has sent. `now`: milliseconds, read before the transaction. */
  const sentOf = (raw: RawTransaction, now: number): SentTransaction | undefined | typeof UNDECIDED => {
    const numbered = nonceIn(raw)
    if (numbered === undefined || numbered.account !== solver.index) return undefined
    const shown = shownIn(raw)
    const succeeded = isDone(raw)
    if (!succeeded && !isOver({ expiredAt: shown?.expiredAt ?? raw.queued_at + LIFETIME_MS }, now)) return UNDECIDED
    return {
      account: laneOf(solver.index, numbered.apiKey),
      transactionId: idOf(raw.hash),
      raw: raw.info,
      sequence: numbered.nonce,
      block: blockOf({ queuedAt: raw.queued_at }),
      succeeded,
      gasPaid: shown?.transfer.usdcFee ?? 0n,
      // What was not executed has paid nobody, and never will.
      payment: shown === undefined || !succeeded ? undefined : paymentIn(shown),
      movesNothing: !succeeded || raw.type === ACCOUNT_CONFIG || (shown !== undefined && paysNobody(shown.transfer))
    }
  }

  /** Seconds, both ends included. Fails as behind while one of them may still become executed. */
  const readList = (from: bigint, to: bigint): ExchangeBRead<ReadonlyArray<SentTransaction>> =>
    Effect.fnUntraced(
      function*(client, deadline): Effect.fn.Return<ReadonlyArray<SentTransaction>, ExchangeBFault> {
        const now = yield* readMillis(client, deadline)
        if (BigInt(Math.floor(now / 1_000)) <= to) return yield* Effect.fail("behind" as const)
        const token = yield* tokenFor(solver, now)
        const listed = yield* readListed(client, solver, token, Number(from) * 1_000, deadline)
        const within = listed.filter(({ queued_at }) => BigInt(Math.floor(queued_at / 1_000)) <= to)
        const sent = yield* Effect.forEach(within, ({ hash }) => readKept(client, hash, deadline))
        // What the list shows and nothing else knows yet.
        if (sent.includes(undefined)) return yield* Effect.fail("behind" as const)
        const all = sent.flatMap((raw) => raw === undefined ? [] : [sentOf(raw, now)])
        if (all.includes(UNDECIDED)) return yield* Effect.fail("behind" as const)
        return all.filter((each) => each !== undefined && each !== UNDECIDED)
      }
    )

  const readOne = (id: TransactionId): ExchangeBRead<SentTransaction | undefined> =>
    Effect.fnUntraced(
      function*(client, deadline): Effect.fn.Return<SentTransaction | undefined, ExchangeBFault> {
        const now = yield* readMillis(client, deadline)
        const raw = yield* readKept(client, id, deadline)
        const sent = raw === undefined ? undefined : sentOf(raw, now)
        return sent === UNDECIDED ? undefined : sent
      }
    )

  return { readList, readOne }
}
