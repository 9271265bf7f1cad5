/**
 * The transfers that the solver's account has sent on exchange A, from its ledger (EXCHANGEA-23).
 *
 * The exchange counts nothing: a nonce is a time. So sequences are nonces, and heights are seconds of its clock. All that
 * was signed by now has a nonce below `pendingSequence`, and once `finalSequence` has passed it, none of it can still
 * appear: because of its age, or because a hundred higher nonces were used (`useUp`).
 */
import { Effect, Layer, Result, Schema } from "effect"
import { ChainUnavailable } from "../../../ports/chain/ChainUnavailable.ts"
import { SentTransactions } from "../../../ports/chain/SentTransactions.ts"
import type { SentPayment, SentTransaction } from "../../../ports/chain/SentTransactions.ts"
import { NonceMappings } from "../../../ports/store/clients/NonceMappings.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { asAddress } from "../../../src/domain/families/AddressCodec.ts"
import { scaleDecimal } from "../../../src/domain/families/exchange-a/DecimalAmount.ts"
import { exchangeACurrency } from "../../../src/domain/families/exchange-a/ExchangeAWithdrawal.ts"
import type { SendAsset } from "../../../src/domain/families/exchange-a/ExchangeAWithdrawal.ts"
import { NO_ORDER, PERPS_DECIMALS } from "../../../src/domain/families/exchange-a/evidence/Transfer.ts"
import { lowestOpenNonce, MOST_AHEAD } from "../../../src/domain/families/exchange-a/payment/NonceRules.ts"
import type { LedgerEntry } from "../../../src/domain/families/exchange-a/payment/PaymentFate.ts"
import { writeStored } from "../../../src/domain/families/exchange-a/payment/StoredPayment.ts"
import { isOwnMapping } from "../../../src/domain/nonce-mapping/NonceMapping.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { readPosition, sentBetween } from "../../endpoints/SentRead.ts"
import { TransactionAnswer, transferOf } from "../decode/NodeAnswers.ts"
import { readMillis, undecodable } from "../observe/ReadTime.ts"
import { readTokens } from "../observe/ReadTokens.ts"
import type { ListedTokens } from "../observe/ReadTokens.ts"
import { networkOf } from "../observe/ReadTransaction.ts"
import { ExchangeARpc } from "../rpc/ExchangeARpc.ts"
import type { ExchangeAFault, ExchangeARead } from "../rpc/ExchangeARpc.ts"
import { blockOf, idOf } from "./Landing.ts"
import { readSent } from "./SentLedger.ts"
import { signedIdOf } from "./SignTransfer.ts"
import { SolverAccount } from "./SolverAccount.ts"
import { confirmedTime } from "./Treasury.ts"
import { submitNothing } from "./UseUp.ts"

const decodeTransaction = Schema.decodeUnknownEffect(TransactionAnswer)

/** Milliseconds of the ledger that show how far nonces are used. Less than all of it only finds fewer of them. */
const RECENT = 3_600_000n

/** What a transfer moved. Undefined for a token that is not listed, or an amount that it cannot have. */
const movedBy = (
  { amount: text, destination, destinationDex, token }: LedgerEntry,
  { byId }: ListedTokens
): Omit<SentPayment, "orderId"> | undefined => {
  const [id, listed] = [...byId].find(([, { name }]) => name === token) ?? []
  const currency = exchangeACurrency(destinationDex, `${token}:${id ?? ""}`)
  const amount = scaleDecimal(text, destinationDex === "" ? PERPS_DECIMALS : listed?.weiDecimals ?? 0)
  return listed === undefined || Result.isFailure(currency) || amount === undefined
    ? undefined
    : { recipient: asAddress(destination.toLowerCase()), currency: currency.success, amount }
}

const transferIn = (chain: Chain, entry: LedgerEntry, { byId }: ListedTokens): SendAsset => ({
  _tag: "SendAsset",
  hyperliquidChain: networkOf(chain),
  destination: entry.destination.toLowerCase(),
  sourceDex: entry.sourceDex,
  destinationDex: entry.destinationDex,
  token: `${entry.token}:${[...byId].find(([, { name }]) => name === entry.token)?.[0] ?? ""}`,
  amount: entry.amount,
  fromSubAccount: "",
  nonce: entry.nonce
})

export const layer = Layer.effect(
  SentTransactions,
  Effect.gen(function*() {
    const rpc = yield* ExchangeARpc
    const mappings = yield* NonceMappings
    const solver = yield* SolverAccount
    const { account } = solver

    const read = <A>(chain: Chain, operation: string, of: ExchangeARead<A>) =>
      rpc.call(chain, operation, (client) => client.read(of))

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
        const orderId = yield* orderOf(chain, entry.nonce)
        return {
          account,
          transactionId: idOf(entry),
          signedAs: signedIdOf(chain, account, entry.nonce),
          raw: writeStored({ transfer: transferIn(chain, entry, tokens), order: orderId ?? NO_ORDER }),
          sequence: undefined,
          block: blockOf(entry),
          succeeded,
          gasPaid: entry.fee,
          payment: moved === undefined || orderId === undefined ? undefined : { orderId, ...moved },
          movesNothing: entry.destination.toLowerCase() === account
        }
      }
    )

    const readList = (chain: Chain, from: bigint, to: bigint): ExchangeARead<ReadonlyArray<SentTransaction>> =>
      Effect.fnUntraced(function*(client, deadline) {
        const times = { from: from * 1_000n, to: to * 1_000n + 999n }
        const sent = yield* readSent(client, account, times, deadline)
        if (sent.length === 0) return []
        const tokens = yield* readTokens(client, deadline)
        return yield* Effect.forEach(sent, (entry) => sentOf(chain, entry, tokens, true))
      })

    /** The explorer does not show the fee. */
    const readOne = (chain: Chain, id: TransactionId): ExchangeARead<SentTransaction | undefined> =>
      Effect.fnUntraced(function*(client, deadline): Effect.fn.Return<SentTransaction | undefined, ExchangeAFault> {
        const answer = yield* undecodable(decodeTransaction(yield* client.transaction(id, deadline)))
        if (answer.type === "error") return undefined
        const { tx } = answer
        if (tx.hash.toLowerCase() !== String(id)) return yield* Effect.fail("contradiction" as const)
        const transfer = transferOf(tx)
        if (tx.user !== account || transfer?._tag !== "SendAsset") return undefined
        const token = transfer.token.slice(0, transfer.token.indexOf(":"))
        const entry = { ...transfer, token, hash: tx.hash.toLowerCase(), time: tx.time, fee: 0n }
        return yield* sentOf(chain, entry, yield* readTokens(client, deadline), tx.error === null)
      })

    return SentTransactions.of({
      accountsOn: () => [account],
      position: (chain, _, by) =>
        readPosition(rpc, chain, by, (client) =>
          client.read(Effect.fnUntraced(function*(endpoint, deadline) {
            const now = yield* readMillis(endpoint, deadline)
            const sent = yield* readSent(endpoint, account, { from: now - RECENT, to: now + RECENT }, deadline)
            const lowest = lowestOpenNonce(now, sent.map(({ nonce }) => nonce))
            const height = now / 1_000n
            return {
              counted: false,
              height,
              finalHeight: height,
              sequence: lowest,
              pendingSequence: now + MOST_AHEAD + 1n,
              finalSequence: lowest
            }
          }))),
      lastBlockBefore: (chain, time) =>
        Effect.map(read(chain, "head", readMillis), (now) => {
          const [before, head] = [BigInt(Math.ceil(time / 1_000)) - 1n, now / 1_000n]
          return before < head ? before : head
        }),
      find: (chain, id) => read(chain, "a transfer of the account", readOne(chain, id)),
      between: Effect.fnUntraced(function*(chain, from, to, by) {
        const sent = yield* sentBetween(rpc, chain, by, {
          range: [from, to],
          list: (client) => client.read(readList(chain, from, to)),
          find: (client, id) => client.read(readOne(chain, id))
        })
        // SECURITY: it may have paid any order. To leave it out would be to pay that order again.
        const isUnknown = sent.some(({ movesNothing, payment }) => payment === undefined && !movesNothing)
        return by === "quorum" && isUnknown
          ? yield* new ChainUnavailable({ chain: chain.slug, operation: "orders of transfers", kind: "misconfigured" })
          : sent
      }),
      useUp: Effect.fnUntraced(function*(chain, _account, sequence) {
        yield* submitNothing(rpc, solver, chain, { now: yield* confirmedTime(rpc, chain), sequence })
      })
    })
  })
)
