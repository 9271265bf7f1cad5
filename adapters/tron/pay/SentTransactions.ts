/**
 * The transactions that the solver's account has sent on a Tron chain. Nodes have no index by account, so whole blocks
 * are read.
 *
 * The chain counts no transactions, and what is signed expires at a time. So the sequences are times of blocks, in
 * seconds: all that was signed by now expires before `sequence`, and once a solidified block has that time, none of it
 * can still appear. SECURITY: that holds while payments are given no longer to live than now. Whoever lowers the
 * configured lifetime does so before a store is restored, not after.
 */
import { Effect, Layer, Result, Schema } from "effect"
import { SentTransactions } from "../../../ports/chain/SentTransactions.ts"
import type { SentTransaction } from "../../../ports/chain/SentTransactions.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { parseTransactionId } from "../../../src/domain/chain/TransactionId.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { asCurrency } from "../../../src/domain/families/AddressCodec.ts"
import { families } from "../../../src/domain/families/index.ts"
import { isFunding } from "../../../src/domain/families/tron/addresses/Funding.ts"
import { readTronTransaction } from "../../../src/domain/families/tron/evidence/TronTransaction.ts"
import type { TronTransaction } from "../../../src/domain/families/tron/evidence/TronTransaction.ts"
import { paidOrderIn } from "../../../src/domain/families/tron/payment/SentPayment.ts"
import { referenceOf, writeStored } from "../../../src/domain/families/tron/payment/StoredPayment.ts"
import { accountOfTron, tronOfAccount } from "../../../src/domain/families/tron/TronAddresses.ts"
import { lifetimeIn } from "../../../src/domain/families/tron/transaction/RawData.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import type { BlockRef } from "../../../src/domain/evidence/BlockRef.ts"
import { lastBlockBefore } from "../../endpoints/sent/LastBlockBefore.ts"
import { readPosition, sentBetween } from "../../endpoints/sent/SentRead.ts"
import { bytesOfHex, isNothing } from "../decode/NodeAnswers.ts"
import { RawBlocks, RawSigned } from "../decode/PaymentAnswers.ts"
import { blockAt, newest, newestSolid, undecodable } from "../observe/ReadPlace.ts"
import type { TronNode } from "../rpc/TronNode.ts"
import { TronRpc } from "../rpc/TronRpc.ts"
import type { TronFault, TronRead } from "../rpc/TronRpc.ts"
import { hasPaid, placeOf } from "./Landing.ts"
import { SolverAccount } from "./SolverAccount.ts"
import type { KeyAccount } from "./SolverAccount.ts"

const decodeBlocks = Schema.decodeUnknownEffect(RawBlocks)
const decodeSigned = Schema.decodeUnknownEffect(RawSigned)

/** Blocks of one request: each has up to some megabytes. */
const BLOCKS_A_READ = 5n

const SIGNATURE = /^[0-9a-fA-F]{130}$/

/** In Tron's spelling. The account was decoded from 20 bytes. */
const inBase58 = (account: string) => Result.getOrThrow(tronOfAccount(account))

/** A deposit address's own transaction: a deposit of TRX, or a transfer of a token to the depository. */
const isSweep = ({ depository }: Pick<Chain, "depository">, transaction: TronTransaction): boolean => {
  const { act } = transaction
  const own = Result.getOrThrow(accountOfTron(depository))
  return act._tag === "Trigger" && (act.contract === own || paidOrderIn(transaction)?.recipient === own)
}

/**
 * Undefined when no block has it. A transaction of another account is none of ours, unless it is a sweep that was asked
 * for by its id.
 */
const readSent = Effect.fnUntraced(
  function*(
    node: TronNode,
    chain: Chain,
    { address, evm }: KeyAccount,
    { raw_data_hex, signature: [signature] = [], txID }: RawSigned,
    { deadline, sweeps }: { readonly deadline: number; readonly sweeps: "too" | "not" }
  ): Effect.fn.Return<SentTransaction | undefined, TronFault> {
    const rawData = bytesOfHex(raw_data_hex)
    const transaction = readTronTransaction(rawData)
    if (transaction === undefined) return yield* Effect.fail("undecodable" as const)
    // SECURITY: bytes that do not hash to the id belong to another transaction.
    if (transaction.id !== txID) return yield* Effect.fail("contradiction" as const)
    const { act, owner } = transaction
    const isSwept = owner !== evm && sweeps === "too" && isSweep(chain, transaction)
    if (act._tag === "Other" || (owner !== evm && !isSwept)) return undefined
    if (signature === undefined || !SIGNATURE.test(signature)) return yield* Effect.fail("undecodable" as const)
    const place = yield* placeOf(node, txID, deadline)
    if (place === undefined) return undefined
    const isFunds = isFunding(transaction, lifetimeIn(rawData) ?? { timestamp: 0 })
    const paid = isSwept || isFunds ? undefined : paidOrderIn(transaction)
    return {
      account: address,
      transactionId: Result.getOrThrow(parseTransactionId(families["tron-vm"], txID)),
      raw: writeStored(
        { rawData, signature: bytesOfHex(signature) },
        referenceOf(rawData, place.block.height)
      ),
      sequence: undefined,
      block: place.block,
      succeeded: hasPaid(place.info, transaction),
      gasPaid: BigInt(place.info.fee ?? 0),
      payment: paid === undefined ? undefined : {
        orderId: OrderId.make(paid.orderId),
        recipient: inBase58(paid.recipient),
        currency: asCurrency(inBase58(paid.currency)),
        amount: paid.amount
      },
      // Of a sweep the account pays only what it costs: it sends that to the address.
      movesNothing: isSwept || isFunds
    }
  }
)

/** At most `BLOCKS_A_READ` of them. */
const readBlocks = Effect.fnUntraced(
  function*(
    node: TronNode,
    chain: Chain,
    account: KeyAccount,
    { from, to }: { readonly from: bigint; readonly to: bigint },
    deadline: number
  ): Effect.fn.Return<ReadonlyArray<SentTransaction>, TronFault> {
    const answer = yield* node.wallet(
      "getblockbylimitnext",
      { startNum: Number(from), endNum: Number(to + 1n) },
      deadline
    )
    const { block = [] } = yield* undecodable(decodeBlocks(answer))
    const heights = block.map(({ block_header: { raw_data: { number = 0 } } }) => BigInt(number))
    // A node that lacks one of them has no answer.
    if (BigInt(heights.length) !== to - from + 1n || heights.some((height, at) => height !== from + BigInt(at))) {
      return yield* Effect.fail("behind" as const)
    }
    const digits = account.evm.slice(2)
    const own = block.flatMap(({ transactions = [] }) =>
      transactions.filter(({ raw_data_hex }) => raw_data_hex.toLowerCase().includes(digits))
    )
    const sent: Array<SentTransaction> = []
    for (const each of own) {
      const read = yield* readSent(node, chain, account, each, { deadline, sweeps: "not" })
      if (read !== undefined) sent.push(read)
    }
    return sent
  }
)

const readOne = (chain: Chain, account: KeyAccount, id: TransactionId): TronRead<SentTransaction | undefined> =>
  Effect.fnUntraced(function*(node, deadline): Effect.fn.Return<SentTransaction | undefined, TronFault> {
    const answer = yield* node.wallet("gettransactionbyid", { value: id }, deadline)
    if (isNothing(answer)) return undefined
    const signed = yield* undecodable(decodeSigned(answer))
    return signed.txID === String(id)
      ? yield* readSent(node, chain, account, signed, { deadline, sweeps: "too" })
      : yield* Effect.fail("contradiction" as const)
  })

export const layer = Layer.effect(
  SentTransactions,
  Effect.gen(function*() {
    const rpc = yield* TronRpc
    const { account, lifetimeMinutes } = yield* SolverAccount

    const read = <A>(chain: Chain, operation: string, of: TronRead<A>) =>
      rpc.call(chain, operation, (client) => client.read(of))

    const newestTwo: TronRead<{ readonly newest: BlockRef; readonly solid: BlockRef }> = (node, deadline) =>
      Effect.all({ newest: newest(node, deadline), solid: newestSolid(node, deadline) }, { concurrency: "unbounded" })

    return SentTransactions.of({
      accountsOn: () => [account.address],
      position: (chain, _, by) =>
        readPosition(
          rpc,
          chain,
          by,
          (client) =>
            client.read((node, deadline) =>
              Effect.map(newestTwo(node, deadline), ({ newest: head, solid }) => {
                const latest = head.height < solid.height ? solid : head
                const depth = chain.finality._tag === "Tag"
                  ? latest.height - solid.height
                  : BigInt(chain.finality.blocks)
                const end = BigInt(latest.time + lifetimeMinutes * 60 + 1)
                return {
                  counted: false,
                  height: latest.height,
                  finalHeight: latest.height < depth ? -1n : latest.height - depth,
                  sequence: end,
                  pendingSequence: end,
                  finalSequence: BigInt(solid.time)
                }
              })
            )
        ),
      lastBlockBefore: Effect.fnUntraced(function*(chain, time) {
        const { newest: head } = yield* read(chain, "head", newestTwo)
        return yield* lastBlockBefore(head.height, time, (at) =>
          Effect.map(
            read(chain, "the time of a block", (node, deadline) => blockAt(node, at, deadline)),
            (block) => block.time
          ))
      }),
      find: (chain, id) => read(chain, "a transaction of the account", readOne(chain, account, id)),
      between: Effect.fnUntraced(function*(chain, from, to, by) {
        const found: Array<SentTransaction> = []
        for (let first = from < 0n ? 0n : from; first <= to; first += BLOCKS_A_READ) {
          const last = first + BLOCKS_A_READ - 1n < to ? first + BLOCKS_A_READ - 1n : to
          found.push(
            ...yield* sentBetween(rpc, chain, by, {
              range: [first, last],
              list: (client) =>
                client.read((node, deadline) => readBlocks(node, chain, account, { from: first, to: last }, deadline)),
              find: (client, id) => client.read(readOne(chain, account, id))
            })
          )
        }
        return found
      }),
      // What is signed expires. There is nothing to use up.
      useUp: () => Effect.void
    })
  })
)
