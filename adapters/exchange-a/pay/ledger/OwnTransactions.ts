/**
 * The newest transactions that an account of exchange A has signed, as one endpoint's explorer lists them
 * (EXCHANGEA-35). Strangers add nothing to this list, whatever they send to the account.
 *
 * SECURITY: not for proofs. The list may be late, and it is as long as the explorer likes: what is missing from it may
 * have been executed.
 */
import { Effect, Schema } from "effect"
import type { Address } from "../../../../src/domain/chain/Address.ts"
import type { LedgerEntry } from "../../../../src/domain/families/exchange-a/payment/PaymentFate.ts"
import { AccountAnswer, RawTransaction, transferOf } from "../../decode/NodeAnswers.ts"
import { undecodable } from "../../observe/ReadTime.ts"
import type { ExchangeAClient } from "../../rpc/ExchangeAClient.ts"
import type { ExchangeAFault } from "../../rpc/ExchangeARpc.ts"
import { readPage } from "./LedgerPage.ts"

const decodeAccount = Schema.decodeUnknownEffect(AccountAnswer)
const isTransaction = Schema.is(Schema.toType(RawTransaction))

/**
 * An executed transfer as the account's ledger has it, but for its fee, which the explorer does not show. Undefined for
 * anything else. What a sub-account has sent is in that one's ledger.
 */
export const entryOf = (tx: RawTransaction): LedgerEntry | undefined => {
  const transfer = transferOf(tx)
  if (tx.error !== null || transfer?._tag !== "SendAsset" || transfer.fromSubAccount !== "") return undefined
  const { amount, destination, destinationDex, nonce, sourceDex, token } = transfer
  return {
    hash: tx.hash.toLowerCase(),
    time: tx.time,
    nonce,
    destination,
    sourceDex,
    destinationDex,
    token: token.slice(0, token.indexOf(":")),
    amount,
    fee: 0n
  }
}

/** The account's executed transfers that are listed. Fees are not shown. */
export const readOwn = Effect.fnUntraced(
  function*(
    client: ExchangeAClient,
    account: Address,
    deadline: number
  ): Effect.fn.Return<ReadonlyArray<LedgerEntry>, ExchangeAFault> {
    const { txs } = yield* undecodable(decodeAccount(yield* client.account(account, deadline)))
    return txs.flatMap((tx) => {
      const entry = isTransaction(tx) && tx.user === account ? entryOf(tx) : undefined
      return entry === undefined ? [] : [entry]
    })
  }
)

/**
 * The entry with its fee, from its millisecond in the account's ledger, or in the recipient's. Where both are full of
 * that millisecond, the fee stays zero: a stranger pays a thousand transfers to hide one USDC from the solver's books.
 */
export const withFee = Effect.fnUntraced(
  function*(
    client: ExchangeAClient,
    account: Address,
    entry: LedgerEntry,
    deadline: number
  ): Effect.fn.Return<LedgerEntry, ExchangeAFault> {
    const moment = { from: BigInt(entry.time), to: BigInt(entry.time) }
    for (const holder of [account, entry.destination.toLowerCase()]) {
      const page = yield* readPage(client, { of: holder, sender: account }, moment, deadline)
      const found = page.sent.find(({ hash }) => hash === entry.hash)
      if (found !== undefined) return found
      // The explorer is ahead of the ledger.
      if (!page.isFull) return yield* Effect.fail("behind" as const)
    }
    return entry
  }
)
