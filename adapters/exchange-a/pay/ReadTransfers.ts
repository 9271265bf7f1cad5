/**
 * The transfers of an account of exchange A, each with the order that its kept mapping names (EXCHANGEA-23): from the
 * ledger, or one by its hash.
 */
import { Effect, Result, Schema } from "effect"
import type { SentPayment, SentTransaction } from "../../../ports/chain/SentTransactions.ts"
import type { NonceMappings } from "../../../ports/store/clients/NonceMappings.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { hexFromBytes } from "../../../src/domain/encoding/Hex.ts"
import { asAddress } from "../../../src/domain/families/AddressCodec.ts"
import { isResidue } from "../../../src/domain/families/exchange-a/addresses/Residue.ts"
import { scaleDecimal } from "../../../src/domain/families/exchange-a/DecimalAmount.ts"
import { exchangeACurrency } from "../../../src/domain/families/exchange-a/ExchangeAWithdrawal.ts"
import type { SendAsset } from "../../../src/domain/families/exchange-a/ExchangeAWithdrawal.ts"
import { NO_ORDER, PERPS_DECIMALS } from "../../../src/domain/families/exchange-a/evidence/Transfer.ts"
import type { LedgerEntry } from "../../../src/domain/families/exchange-a/payment/PaymentFate.ts"
import { mappingOf, writeStored } from "../../../src/domain/families/exchange-a/payment/StoredPayment.ts"
import { isOwnMapping, mappingDigest } from "../../../src/domain/nonce-mapping/NonceMapping.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { TransactionAnswer, transferOf } from "../decode/NodeAnswers.ts"
import { readMillis, undecodable } from "../observe/ReadTime.ts"
import { readTokens } from "../observe/ReadTokens.ts"
import type { ListedTokens } from "../observe/ReadTokens.ts"
import { networkOf } from "../observe/ReadTransaction.ts"
import type { ExchangeAFault, ExchangeARead } from "../rpc/ExchangeARpc.ts"
import { keepMapping } from "./Broadcasting.ts"
import { blockOf, idOf } from "./Landing.ts"
import { readSent } from "./ledger/SentLedger.ts"
import { signedIdOf } from "./SignTransfer.ts"
import type { SolverAccount } from "./SolverAccount.ts"

const decodeTransaction = Schema.decodeUnknownEffect(TransactionAnswer)

/** The only token of that name. A ledger does not tell two of one name apart. */
const tokenOf = ({ token }: Pick<LedgerEntry, "token">, { byId }: ListedTokens) => {
  const [found, another] = [...byId].filter(([, { name }]) => name === token)
  return found === undefined || another !== undefined ? undefined : { id: found[0], decimals: found[1].weiDecimals }
}

/** What a transfer moved. Undefined for a token that is not known, or an amount that it cannot have. */
const movedBy = (entry: LedgerEntry, tokens: ListedTokens): Omit<SentPayment, "orderId"> | undefined => {
  const { amount: text, destination, destinationDex } = entry
  const token = tokenOf(entry, tokens)
  if (token === undefined) return undefined
  const currency = exchangeACurrency(destinationDex, token.id)
  const amount = scaleDecimal(text, destinationDex === "" ? PERPS_DECIMALS : token.decimals)
  return Result.isFailure(currency) || amount === undefined
    ? undefined
    : { recipient: asAddress(destination.toLowerCase()), currency: currency.success, amount }
}

const transferIn = (chain: Chain, entry: LedgerEntry, tokens: ListedTokens): SendAsset => ({
  _tag: "SendAsset",
  hyperliquidChain: networkOf(chain),
  destination: entry.destination.toLowerCase(),
  sourceDex: entry.sourceDex,
  destinationDex: entry.destinationDex,
  token: `${entry.token}:${tokenOf(entry, tokens)?.id ?? ""}`,
  amount: entry.amount,
  fromSubAccount: "",
  nonce: entry.nonce
})

export const transferReads = (mappings: NonceMappings["Service"], solver: SolverAccount["Service"]) => {
  const { account } = solver

  /** The order that the account has signed a transfer for. */
  const orderOf = (chain: Chain, nonce: bigint): Effect.Effect<OrderId | undefined, ExchangeAFault> =>
    Effect.matchEffect(mappings.find(chain.slug, account, nonce), {
      onFailure: () => Effect.fail("refused" as const),
      onSuccess: (found) =>
        Effect.succeed(found !== undefined && isOwnMapping(found) ? OrderId.make(found.id) : undefined)
    })

  const sentOf = Effect.fnUntraced(
    function*(
      chain: Chain,
      entry: LedgerEntry,
      tokens: ListedTokens,
      succeeded: boolean
    ): Effect.fn.Return<SentTransaction, ExchangeAFault> {
      const moved = movedBy(entry, tokens)
      const movesNothing = entry.destination.toLowerCase() === account || isResidue(entry)
      const transfer = transferIn(chain, entry, tokens)
      const orderId = yield* orderOf(chain, entry.nonce)
      const sent = {
        account,
        transactionId: idOf(entry),
        signedAs: signedIdOf(chain, account, entry.nonce),
        raw: writeStored({ transfer, order: orderId ?? NO_ORDER }),
        sequence: undefined,
        block: blockOf(entry),
        succeeded,
        gasPaid: entry.fee,
        payment: moved === undefined || orderId === undefined ? undefined : { orderId, ...moved },
        movesNothing
      }
      if (movesNothing || moved === undefined || orderId !== undefined) return sent
      const nameIt = Effect.fnUntraced(function*(order: OrderId) {
        const stored = { transfer, order }
        const digest = Result.getOrThrow(mappingDigest(mappingOf(chain, account, stored)))
        const signature = hexFromBytes(yield* solver.sign(digest))
        yield* keepMapping(mappings, chain, account, stored, signature)
        return { ...sent, raw: writeStored(stored), payment: { orderId: order, ...moved } }
      })
      return { ...sent, nameless: { ...moved, nameIt } }
    }
  )

  const readList = (chain: Chain, from: bigint, to: bigint): ExchangeARead<ReadonlyArray<SentTransaction>> =>
    Effect.fnUntraced(function*(client, deadline) {
      const now = yield* readMillis(client, deadline)
      const range = { from: from * 1_000n, to: to * 1_000n + 999n, now }
      const sent = yield* readSent(client, account, range, deadline)
      if (sent.length === 0) return []
      const tokens = yield* readTokens(client, deadline)
      return yield* Effect.forEach(sent, (entry) => sentOf(chain, entry, tokens, true))
    })

  /** A sweep that was asked for by its id. The account pays nothing of it. */
  const sweepIn = (chain: Chain, sender: Address, entry: LedgerEntry, transfer: SendAsset, succeeded: boolean) => ({
    account,
    transactionId: idOf(entry),
    signedAs: signedIdOf(chain, sender, entry.nonce),
    raw: writeStored({ transfer, order: NO_ORDER, sweep: { address: sender } }),
    sequence: undefined,
    block: blockOf(entry),
    succeeded,
    gasPaid: 0n,
    payment: undefined,
    movesNothing: true
  } satisfies SentTransaction)

  /** The explorer does not show the fee. */
  const readOne = (chain: Chain, id: TransactionId): ExchangeARead<SentTransaction | undefined> =>
    Effect.fnUntraced(function*(client, deadline): Effect.fn.Return<SentTransaction | undefined, ExchangeAFault> {
      const answer = yield* undecodable(decodeTransaction(yield* client.transaction(id, deadline)))
      if (answer.type === "error") return undefined
      const { tx } = answer
      if (tx.hash.toLowerCase() !== String(id)) return yield* Effect.fail("contradiction" as const)
      const transfer = transferOf(tx)
      if (transfer?._tag !== "SendAsset") return undefined
      const token = transfer.token.slice(0, transfer.token.indexOf(":"))
      const entry = { ...transfer, token, hash: tx.hash.toLowerCase(), time: tx.time, fee: 0n }
      if (tx.user !== account) {
        return transfer.destination.toLowerCase() === chain.depository
          ? sweepIn(chain, tx.user, entry, transfer, tx.error === null)
          : undefined
      }
      return yield* sentOf(chain, entry, yield* readTokens(client, deadline), tx.error === null)
    })

  return { readList, readOne }
}
