/**
 * The transactions that the solver's account has sent on a Bitcoin chain: whatever spends its coins shows its public
 * key, so they are found in the bytes of blocks.
 *
 * The chain counts no transactions, and a signed one never expires. What ends it is that its coins are spent. So the
 * sequences are heights of coins: a payment that was signed by now spends, at first or through its parents, only coins
 * made below `pendingSequence`; once final transactions have spent all of these, none of the payments can still appear.
 * `useUp` moves them to the account itself.
 *
 * SECURITY: which coins there are, the explorer says. One that hides a coin and lies about it, while a store is
 * restored from a backup and a payment that it forgot is in no block, can make that payment's deposit paid twice.
 */
import { Effect, Layer } from "effect"
import { SentTransactions } from "../../../ports/chain/SentTransactions.ts"
import type { SentTransaction } from "../../../ports/chain/SentTransactions.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { BlockRef } from "../../../src/domain/evidence/BlockRef.ts"
import type { BtcTransaction } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"
import { readBtcTransaction } from "../../../src/domain/families/bitcoin/evidence/BtcTransaction.ts"
import { shownInBlock } from "../../../src/domain/families/bitcoin/evidence/BtcBlock.ts"
import { sameBytes } from "../../../src/domain/families/bitcoin/evidence/SpentCoins.ts"
import { dustOf } from "../../../src/domain/families/bitcoin/spending/Dust.ts"
import { feeOf } from "../../../src/domain/families/bitcoin/spending/FeeRate.ts"
import { feeIn, virtualBytesIn, writeStoredForm } from "../../../src/domain/families/bitcoin/treasury/PaymentForm.ts"
import { movesNothing, paidOrderIn } from "../../../src/domain/families/bitcoin/treasury/SentPayment.ts"
import type { ReadFault } from "../../quorum/ReadFault.ts"
import { BitcoinCoins } from "../coins/ListCoins.ts"
import type { ListedCoin } from "../coins/ListCoins.ts"
import { bytesOfHex, Hash, RawBytes } from "../decode/NodeAnswers.ts"
import { decodedAs, readHeader } from "../observe/ReadPlace.ts"
import { BitcoinRates } from "../rate/BitcoinRates.ts"
import { BitcoinRpc } from "../rpc/BitcoinRpc.ts"
import type { BitcoinRead } from "../rpc/BitcoinRpc.ts"
import { blockCall, hashCall, resultOf, transactionCall } from "../rpc/CoreRpc.ts"
import type { CoreRpc } from "../rpc/CoreRpc.ts"
import { readHead } from "../watch/Blocks.ts"
import { broadcast } from "./Broadcasting.ts"
import { placeOf } from "./Landing.ts"
import { signSpending, storedForm, transactionIdOf } from "./SignSpending.ts"
import { addressOn, SolverAccount } from "./SolverAccount.ts"
import type { KeyAccount } from "./SolverAccount.ts"

const hashOf = resultOf(Hash)
const bytesOf = resultOf(RawBytes)

/** Blocks of one read: each has up to four megabytes, and all of them share its deadline. */
const BLOCKS_A_READ = 6n

const blockAt = Effect.fnUntraced(
  function*(rpc: CoreRpc, height: bigint, deadline: number): Effect.fn.Return<BlockRef, ReadFault> {
    const [answer] = yield* rpc.answers([hashCall(Number(height))], deadline)
    return yield* readHeader(rpc, yield* hashOf(answer), deadline)
  }
)

/** What its inputs spend, from the transactions that made it, in their order. */
const readSources = Effect.fnUntraced(
  function*(rpc: CoreRpc, { inputs }: BtcTransaction, deadline: number) {
    const answers = yield* rpc.answers(inputs.map(({ transactionId }) => transactionCall(transactionId, 0)), deadline)
    return yield* Effect.forEach(
      inputs,
      Effect.fnUntraced(function*({ index, transactionId }, at) {
        const { outputs } = yield* decodedAs(transactionId, yield* bytesOf(answers[at]))
        return outputs[index] ?? (yield* Effect.fail("contradiction" as const))
      })
    )
  }
)

/** Undefined for a transaction that spends no coin of the account. */
const readSent = Effect.fnUntraced(function*(
  rpc: CoreRpc,
  chain: Chain,
  { script }: KeyAccount,
  { block, bytes, transaction }: {
    readonly transaction: BtcTransaction
    readonly bytes: Uint8Array
    readonly block: BlockRef
  },
  deadline: number
): Effect.fn.Return<SentTransaction | undefined, ReadFault> {
  const sources = yield* readSources(rpc, transaction, deadline)
  if (!sources.some((source) => sameBytes(source.script, script))) return undefined
  const form = { ...transaction, bytes, amounts: sources.map(({ amount }) => amount) }
  const paid = paidOrderIn(transaction, script, chain.network)
  const isUnmoved = movesNothing(script, sources, transaction)
  return {
    account: addressOn({ script }, chain),
    transactionId: transactionIdOf(transaction.id),
    raw: writeStoredForm({ form, ancestors: [] }),
    sequence: undefined,
    block,
    succeeded: true,
    gasPaid: feeIn(form),
    // A sweep names an order, and pays what it took from a deposit address.
    payment: paid === undefined || isUnmoved ? undefined : { ...paid, currency: chain.native.address },
    movesNothing: isUnmoved
  }
})

const readSentAt = Effect.fnUntraced(function*(
  rpc: CoreRpc,
  chain: Chain,
  account: KeyAccount,
  height: bigint,
  deadline: number
): Effect.fn.Return<ReadonlyArray<SentTransaction>, ReadFault> {
  const block = yield* blockAt(rpc, height, deadline)
  const [answer] = yield* rpc.answers([blockCall(block.hash, 0)], deadline)
  const shown = shownInBlock(bytesOfHex(yield* bytesOf(answer)), account.publicKey)
  if (shown === undefined) return yield* Effect.fail("undecodable" as const)
  if (shown.hash !== block.hash) return yield* Effect.fail("contradiction" as const)
  const sent = yield* Effect.forEach(shown.transactions, (bytes) => {
    const transaction = readBtcTransaction(bytes)
    return transaction === undefined
      ? Effect.fail("undecodable" as const)
      : readSent(rpc, chain, account, { transaction, bytes, block }, deadline)
  })
  return sent.filter((each) => each !== undefined)
})

/** The heights of the coins that the account has spent in these blocks. */
const readSpentHeights = Effect.fnUntraced(
  function*(
    rpc: CoreRpc,
    sent: ReadonlyArray<SentTransaction>,
    deadline: number
  ): Effect.fn.Return<ReadonlyArray<bigint>, ReadFault> {
    const ids = new Set(sent.flatMap(({ raw }) => storedForm(raw).form.inputs.map((each) => each.transactionId)))
    const places = yield* Effect.forEach(ids, (id) => placeOf(rpc, id, deadline))
    return places.flatMap((place) => place?.block === undefined ? [] : [place.block.height])
  }
)

const least = (first: bigint, others: ReadonlyArray<bigint>): bigint =>
  others.reduce((lowest, each) => each < lowest ? each : lowest, first)

export const layer = Layer.effect(
  SentTransactions,
  Effect.gen(function*() {
    const rpc = yield* BitcoinRpc
    const rates = yield* BitcoinRates
    const coins = yield* BitcoinCoins
    const { account } = yield* SolverAccount

    const read = <A>(chain: Chain, operation: string, of: BitcoinRead<A>) =>
      rpc.call(chain, operation, (client) => client.read(of))

    const between: SentTransactions["Service"]["between"] = Effect.fnUntraced(function*(chain, from, to) {
      const found: Array<SentTransaction> = []
      for (let first = from < 0n ? 0n : from; first <= to; first += BLOCKS_A_READ) {
        found.push(
          ...yield* read(chain, "transactions of the account", (core, deadline) => {
            const last = least(to, [first + BLOCKS_A_READ - 1n])
            const heights = Array.from({ length: Number(last - first) + 1 }, (_, at) => first + BigInt(at))
            return Effect.map(
              Effect.forEach(heights, (height) => readSentAt(core, chain, account, height, deadline)),
              (each) => each.flat()
            )
          })
        )
      }
      return found
    })

    const position: SentTransactions["Service"]["position"] = Effect.fnUntraced(function*(chain) {
      // The head first: a block that comes meanwhile makes coins look older than they are, and never newer.
      const { finalHeight, height } = yield* read(chain, "head", (core, deadline) => readHead(core, chain, deadline))
      const unspent = yield* coins.all(chain, addressOn(account, chain))
      const heights = unspent.map(({ confirmations }) => height - BigInt(confirmations) + 1n)
      const sent = yield* between(chain, finalHeight + 1n, height)
      const spent = yield* read(
        chain,
        "coins of the account",
        (core, deadline) => readSpentHeights(core, sent, deadline)
      )
      return {
        counted: false,
        height,
        finalHeight,
        sequence: least(height + 1n, heights),
        pendingSequence: height + 1n,
        // As of the newest final block, all that was spent since was unspent.
        finalSequence: least(finalHeight + 1n, [...heights, ...spent])
      }
    })

    /** All that can be spent now, in one coin. Undefined when that is not worth it. */
    const together = Effect.fnUntraced(function*(chain: Chain, spendable: ReadonlyArray<ListedCoin>) {
      const held = spendable.reduce((sum, { amount }) => sum + amount, 0n)
      const outputs = [{ script: account.script, amount: held }]
      const fee = feeOf(yield* rates.rate(chain), virtualBytesIn({ inputs: spendable, outputs }))
      return held - fee < dustOf(account.script)
        ? undefined
        : yield* signSpending(
          { account, depositAccount: undefined },
          { coins: spendable, outputs: [{ script: account.script, amount: held - fee }] },
          []
        )
    })

    return SentTransactions.of({
      accountsOn: (chain) => [addressOn(account, chain)],
      position,
      between,
      lastBlockBefore: Effect.fnUntraced(function*(chain, time) {
        const { height } = yield* read(chain, "head", (core, deadline) => readHead(core, chain, deadline))
        let [before, from] = [-1n, height + 1n]
        // Times of blocks may go back by an hour or two: whoever asks looks at more blocks than it needs.
        while (from - before > 1n) {
          const middle = (before + from) / 2n
          const block = yield* read(chain, "the time of a block", (core, deadline) => blockAt(core, middle, deadline))
          if (block.time * 1_000 < time) before = middle
          else from = middle
        }
        return before
      }),
      find: (chain, id) =>
        read(
          chain,
          "a transaction of the account",
          (core, deadline) =>
            Effect.flatMap(placeOf(core, id, deadline), (place) =>
              place?.block === undefined
                ? Effect.succeed(undefined)
                : readSent(core, chain, account, { ...place, block: place.block }, deadline))
        ),
      useUp: Effect.fnUntraced(function*(chain, address, sequence) {
        const { height } = yield* read(chain, "head", (core, deadline) => readHead(core, chain, deadline))
        const spendable = yield* coins.list(chain, address, "mempool")
        const isDue = spendable.some(({ confirmations }) => height - BigInt(confirmations) + 1n <= sequence)
        const signed = isDue ? yield* together(chain, spendable) : undefined
        if (signed !== undefined) yield* broadcast(rpc, chain, storedForm(signed.raw))
      })
    })
  })
)
