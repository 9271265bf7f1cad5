/**
 * The transactions that the solver's account has sent on a Bitcoin chain: whatever spends its coins shows its public
 * key, so they are found in the bytes of blocks.
 *
 * The chain counts no transactions, and a signed one never expires. What ends it is that its coins are spent. So coins
 * have sequences, which are heights (`CoinSequence`): a payment that was signed by now spends only coins below
 * `pendingSequence`; once final transactions have spent all of these, none of the payments can still appear. `useUp`
 * moves them to the account itself (BITCOIN-16). Which coins there are, nodes say (`FencePosition`).
 */
import { Effect, Layer } from "effect"
import { SentTransactions } from "../../../ports/chain/SentTransactions.ts"
import type { SentTransaction } from "../../../ports/chain/SentTransactions.ts"
import type { TransactionId } from "../../../src/domain/chain/TransactionId.ts"
import { lastBlockBefore } from "../../endpoints/sent/LastBlockBefore.ts"
import { sentBetween } from "../../endpoints/sent/SentRead.ts"
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import { dustOf } from "../../../src/domain/families/bitcoin/spending/Dust.ts"
import { feeOf } from "../../../src/domain/families/bitcoin/spending/FeeRate.ts"
import { coinName } from "../../../src/domain/families/bitcoin/treasury/FreeCoins.ts"
import { virtualBytesIn } from "../../../src/domain/families/bitcoin/treasury/PaymentForm.ts"
import { readCoins } from "../coins/ListCoins.ts"
import type { ListedCoin } from "../coins/ListCoins.ts"
import { BitcoinRates } from "../rate/BitcoinRates.ts"
import { BitcoinRpc } from "../rpc/BitcoinRpc.ts"
import type { BitcoinRead } from "../rpc/BitcoinRpc.ts"
import { readHead } from "../watch/Blocks.ts"
import { broadcast } from "./Broadcasting.ts"
import { least, makeFencePosition } from "./FencePosition.ts"
import { placeOf } from "./Landing.ts"
import { blockAt, readSent, readSentAt } from "./ReadSent.ts"
import { signSpending, storedForm } from "./SignSpending.ts"
import { addressOn, SolverAccount } from "./SolverAccount.ts"

/** Blocks of one read: each has up to four megabytes, and all of them share its deadline. */
const BLOCKS_A_READ = 6n

/** Coins of one transaction that moves them to the account: a third of the largest that nodes relay. */
const MOST_TOGETHER = 500

export const layer = Layer.effect(
  SentTransactions,
  Effect.gen(function*() {
    const rpc = yield* BitcoinRpc
    const rates = yield* BitcoinRates
    const { account } = yield* SolverAccount
    const fence = makeFencePosition(rpc, account)

    const read = <A>(chain: Chain, operation: string, of: BitcoinRead<A>) =>
      rpc.call(chain, operation, (client) => client.read(of))

    const inBlock = (chain: Chain, id: TransactionId): BitcoinRead<SentTransaction | undefined> => (core, deadline) =>
      Effect.flatMap(placeOf(core, id, deadline), (place) =>
        place?.block === undefined
          ? Effect.succeed(undefined)
          : readSent(core, chain, account, { ...place, block: place.block }, deadline))

    const between: SentTransactions["Service"]["between"] = Effect.fnUntraced(function*(chain, from, to, by) {
      const found: Array<SentTransaction> = []
      for (let first = from < 0n ? 0n : from; first <= to; first += BLOCKS_A_READ) {
        const last = least(to, [first + BLOCKS_A_READ - 1n])
        const heights = Array.from({ length: Number(last - first) + 1 }, (_, at) => first + BigInt(at))
        const listed: BitcoinRead<ReadonlyArray<SentTransaction>> = (core, deadline) =>
          Effect.map(
            Effect.forEach(heights, (height) => readSentAt(core, chain, account, height, deadline)),
            (each) => each.flat()
          )
        found.push(
          ...yield* sentBetween(rpc, chain, by, {
            range: [first, last],
            list: (client) => client.read(listed),
            find: (client, id) => client.read(inBlock(chain, id))
          })
        )
      }
      return found
    })

    const position: SentTransactions["Service"]["position"] = Effect.fnUntraced(function*(chain, _, by) {
      if (by === "quorum") return yield* fence.position(chain)
      const { finalHeight, height } = yield* read(chain, "head", (core, deadline) => readHead(core, chain, deadline))
      return { counted: false, height, finalHeight, sequence: 0n, pendingSequence: height + 1n, finalSequence: 0n }
    })

    /** These coins in one. Undefined when that is not worth it. */
    const together = Effect.fnUntraced(function*(chain: Chain, spendable: ReadonlyArray<ListedCoin>) {
      const held = spendable.reduce((sum, { amount }) => sum + amount, 0n)
      const outputs = [{ script: account.script, amount: held }]
      const fee = feeOf(yield* rates.rate(chain), virtualBytesIn({ inputs: spendable, outputs }))
      return held - fee < dustOf(account.script)
        ? undefined
        : yield* signSpending(
          { account, depositAccount: undefined },
          { coins: spendable, outputs: [{ script: account.script, amount: held - fee }] },
          { ancestors: [] }
        )
    })

    return SentTransactions.of({
      accountsOn: (chain) => [addressOn(account, chain)],
      position,
      between,
      lastBlockBefore: Effect.fnUntraced(function*(chain, time) {
        const { height } = yield* read(chain, "head", (core, deadline) => readHead(core, chain, deadline))
        // Times of blocks may go back by an hour or two.
        return yield* lastBlockBefore(height, time, (at) =>
          Effect.map(
            read(chain, "the time of a block", (core, deadline) => blockAt(core, at, deadline)),
            (block) => block.time
          ))
      }),
      find: (chain, id) => read(chain, "a transaction of the account", inBlock(chain, id)),
      useUp: Effect.fnUntraced(function*(chain, _, sequence) {
        const placed = yield* fence.coins(chain)
        const due = new Set(placed.filter((coin) => coin.sequence <= sequence).map(coinName))
        if (due.size === 0) return
        const views = yield* rpc.several(
          chain,
          "unspent coins of the account",
          (client) => client.read((core, deadline) => readCoins(core, account.script, placed, "mempool", deadline))
        )
        // A node that lies about a coin spoils only the transaction of its own view.
        const distinct = new Map(
          views.map(({ answer: view }) => [view.map(coinName).join(), view.slice(0, MOST_TOGETHER)])
        )
        for (const spendable of distinct.values()) {
          const signed = spendable.some((coin) => due.has(coinName(coin)))
            ? yield* together(chain, spendable)
            : undefined
          if (signed !== undefined) yield* broadcast(rpc, chain, storedForm(signed.raw))
        }
      })
    })
  })
)
