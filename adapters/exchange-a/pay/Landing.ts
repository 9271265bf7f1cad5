/** Where a payment stands, as one endpoint's ledger of the account shows it (EXCHANGEA-21). */
import { Effect, Result } from "effect"
import type { PaymentOutcome } from "../../../ports/chain/Treasury.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import { parseTransactionId } from "../../../src/domain/chain/TransactionId.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import type { BlockRef } from "../../../src/domain/evidence/BlockRef.ts"
import { families } from "../../../src/domain/families/index.ts"
import { RESIDUE } from "../../../src/domain/families/exchange-a/addresses/Residue.ts"
import { timesOf } from "../../../src/domain/families/exchange-a/payment/NonceRules.ts"
import { paymentFate } from "../../../src/domain/families/exchange-a/payment/PaymentFate.ts"
import type { LedgerEntry, PaymentFate } from "../../../src/domain/families/exchange-a/payment/PaymentFate.ts"
import { senderOf } from "../../../src/domain/families/exchange-a/payment/StoredPayment.ts"
import type { StoredPayment } from "../../../src/domain/families/exchange-a/payment/StoredPayment.ts"
import { readMillis } from "../observe/ReadTime.ts"
import type { ExchangeAClient } from "../rpc/ExchangeAClient.ts"
import type { ExchangeAFault, ExchangeARead } from "../rpc/ExchangeARpc.ts"
import { blockAt } from "../../endpoints/clock/ClockAsChain.ts"
import { readPage } from "./ledger/LedgerPage.ts"
import { readOwn, withFee } from "./ledger/OwnTransactions.ts"
import { readSent } from "./ledger/SentLedger.ts"

/** The exchange's transaction in the protocol's spelling. Its hash was decoded from 64 digits. */
export const idOf = ({ hash }: Pick<LedgerEntry, "hash">): TransactionId =>
  Result.getOrThrow(parseTransactionId(families["exchangea-vm"], hash))

export const blockOf = ({ time }: Pick<LedgerEntry, "time">): BlockRef => blockAt(Math.floor(time / 1_000))

/** Pages of a crowded ledger in one reading: half of what one endpoint is usually asked in a minute. */
const PAGES_AT_ONCE = 12

/**
 * The clock first: what the ledger shows afterwards is at least as new.
 *
 * A page that is not full is the whole ledger. Strangers can fill many, so then the account's own list is asked first.
 * SECURITY: that one proves no payment dead, for which the whole ledger is read. A payment that is only missing there is
 * open, and is submitted: the exchange executes a nonce once.
 */
export const readFate = Effect.fnUntraced(
  function*(
    client: ExchangeAClient,
    account: Address,
    { transfer }: StoredPayment,
    deadline: number
  ): Effect.fn.Return<PaymentFate, ExchangeAFault> {
    const now = yield* readMillis(client, deadline)
    const times = timesOf(transfer.nonce)
    const { isFull, sent } = yield* readPage(client, { of: account, sender: account }, times, deadline)
    if (!isFull || sent.some(({ nonce }) => nonce === transfer.nonce)) return paymentFate(transfer, { now, sent })
    const own = yield* Effect.orElseSucceed(readOwn(client, account, deadline), () => undefined)
    if (own !== undefined) {
      const shown = new Map([...own, ...sent].map((entry) => [entry.hash, entry]))
      const fate = paymentFate(transfer, { now, sent: [...shown.values()] })
      if (fate._tag === "Executed") return { ...fate, entry: yield* withFee(client, account, fate.entry, deadline) }
      if (fate._tag !== "Dead") return fate
    }
    const range = { ...times, now, until: transfer.nonce, pages: PAGES_AT_ONCE }
    return paymentFate(transfer, { now, sent: yield* readSent(client, account, range, deadline) })
  }
)

/** `solver`: who sends what no deposit address does. `signedAs`: the id of the payment's only variant. */
export const readOutcome = (
  solver: Address,
  stored: StoredPayment,
  signedAs: TransactionId
): ExchangeARead<PaymentOutcome> =>
  Effect.fnUntraced(function*(client, deadline): Effect.fn.Return<PaymentOutcome, ExchangeAFault> {
    const fate = yield* readFate(client, senderOf(stored, solver), stored, deadline)
    switch (fate._tag) {
      case "Executed":
        return {
          _tag: "Included",
          transactionId: idOf(fate.entry),
          signedAs,
          block: blockOf(fate.entry),
          succeeded: true,
          gasPaid: fate.entry.fee + (stored.sweep?.residue === undefined ? 0n : RESIDUE),
          final: true
        }
      case "Taken":
        return { _tag: "Superseded" }
      case "Dead":
        return { _tag: "Expired" }
      case "Open":
        return { _tag: "Unseen" }
      case "Unclear":
        return yield* Effect.fail("contradiction" as const)
    }
  })
