/** The contract of `DepositWatcher`, for any family. */
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { DepositWatcher } from "../../ports/chain/DepositWatcher.ts"
import type { Cursor } from "../../ports/chain/DepositWatcher.ts"
import { must } from "../Law.ts"
import { type Contract, FamilyFixture, replaceNewest } from "./FamilyFixture.ts"
import { orderOf } from "./Orders.ts"

/** One deposit by the user in a block, as found by a scan. */
const deposited = (nth: number, amount = 1_000n) =>
  Effect.gen(function*() {
    const { chain, deposit, mine } = yield* FamilyFixture
    const watcher = yield* DepositWatcher
    const cursor = yield* watcher.head(chain)
    const id = yield* deposit(chain.native, amount, orderOf(nth))
    yield* mine
    const scan = yield* watcher.scan(chain, cursor)
    const found = scan.deposits.find(({ transactionId }) => transactionId === id)
    if (found === undefined) return yield* Effect.die(new Error("a deposit in a block was not found"))
    return { cursor, scan, found, id }
  })

/**
 * A deposit is removed by a reorg, and another one is in the next block. Returns what a scan from the old block's
 * cursor finds.
 */
export const replacement = Effect.gen(function*() {
  const { chain, deposit, mine, takeBack } = yield* FamilyFixture
  const watcher = yield* DepositWatcher
  const { found, scan } = yield* deposited(1)
  yield* takeBack
  const id = yield* deposit(chain.native, 2_000n, orderOf(2))
  yield* mine
  const again = yield* watcher.scan(chain, scan.cursor)
  const other = again.deposits.find(({ transactionId }) => transactionId === id)
  if (other === undefined) return yield* Effect.die(new Error("what came instead is not found"))
  return { replaced: found.block, other, cursors: { old: scan.cursor, new: again.cursor } }
})

/** On a chain without reorgs: a deposit in a block is final, however new it is. */
export const atOnceFinal = Effect.gen(function*() {
  const { chain } = yield* FamilyFixture
  const watcher = yield* DepositWatcher
  const { found } = yield* deposited(1)
  const standing = yield* watcher.standing(chain, found, "endpoint")
  must(standing._tag === "Included" && standing.final && standing.confirmations >= 1, "it is not final")
})

/** The contract of `DepositWatcher`: every deposit is found once, with all its fields, even after reorgs. */
export const depositWatcherContract: ReadonlyArray<Contract<DepositWatcher>> = [
  {
    name: "a deposit in a block is found with its order, depositor, sender, currency and amount",
    check: Effect.gen(function*() {
      const { chain, deposit, mine, token, user } = yield* FamilyFixture
      const watcher = yield* DepositWatcher
      const cursor = yield* watcher.head(chain)
      const ids = [
        yield* deposit(chain.native, 1_000n, orderOf(1)),
        yield* deposit(token, 2_000n, orderOf(2))
      ]
      must((yield* watcher.scan(chain, cursor)).deposits.length === 0, "a deposit was found that no block has")
      yield* mine
      const { deposits } = yield* watcher.scan(chain, cursor)
      for (const [index, [currency, amount]] of ([[chain.native, 1_000n], [token, 2_000n]] as const).entries()) {
        const found = deposits.filter(({ transactionId }) => transactionId === ids[index])
        must(found.length === 1, "a deposit was not found once")
        const [
          { amount: said, chainId, currency: inCurrency, depositId, depositor, sender } = yield* Effect.die("none")
        ] = found
        must(chainId === chain.id && inCurrency === currency.address && said === amount, "currency or amount differ")
        must(depositId === orderOf(index + 1), "the order differs")
        must(depositor === user && sender === user, "depositor or sender differ")
      }
    })
  },
  {
    name: "a scan continues from its own cursor and finds each deposit once while there is no reorg",
    check: Effect.gen(function*() {
      const { chain, mine } = yield* FamilyFixture
      const watcher = yield* DepositWatcher
      const first = yield* deposited(1)
      must(first.scan.cursor.height > first.cursor.height, "the cursor stays behind")
      yield* mine
      const next = yield* watcher.scan(chain, first.scan.cursor)
      must(next.cursor.height >= first.scan.cursor.height, "the cursor goes back")
      const second = yield* deposited(2)
      must(second.found.onchainId !== first.found.onchainId, "two deposits have one id")
    })
  },
  {
    name: "confirmations count the deposit's own block, and it is final when the chain says so",
    needs: "reorgs",
    check: Effect.gen(function*() {
      const { chain, finalise, mine } = yield* FamilyFixture
      const watcher = yield* DepositWatcher
      const { found } = yield* deposited(1)
      const first = yield* watcher.standing(chain, found, "endpoint")
      must(first._tag === "Included" && first.confirmations === 1 && !first.final, `it stands as ${first._tag}`)
      yield* mine
      const next = yield* watcher.standing(chain, found, "endpoint")
      must(next._tag === "Included" && next.confirmations === 2, "a block on top is no confirmation")
      yield* finalise
      const last = yield* watcher.standing(chain, found, "endpoint")
      must(last._tag === "Included" && last.final, "it never becomes final")
      must(
        last._tag === "Included" && last.deposits.some(({ onchainId }) => onchainId === found.onchainId),
        "it is not among its own"
      )
      const misrecorded = yield* watcher.standing(chain, { ...found, amount: found.amount + 1n }, "endpoint")
      must(
        misrecorded._tag === "Included" &&
          misrecorded.deposits.some(({ amount, onchainId }) =>
            onchainId === found.onchainId && amount === found.amount
          ),
        "what the chain has under its id is not shown"
      )
      const { found: hash, newest } = yield* watcher.finality(chain, found.block)
      must(hash === found.block.hash, "the hash at its height is another")
      must(newest !== undefined && newest.height >= found.block.height, "no block is final")
      const standing = yield* watcher.finality(chain, found.block, "standing")
      must(
        standing.found === found.block.hash && standing.newest === undefined,
        "it does not stand where only that is asked, or another block is shown"
      )
      const heads = yield* watcher.heads(chain, "endpoint")
      must(newest !== undefined && heads.finalHeight >= newest.height, "the final height of one read is behind")
    })
  },
  {
    name: "the newest block and the final height come in one read, and both advance",
    check: Effect.gen(function*() {
      const { chain, finalise, mine } = yield* FamilyFixture
      const watcher = yield* DepositWatcher
      const before = yield* watcher.heads(chain, "endpoint")
      yield* mine
      const after = yield* watcher.heads(chain, "endpoint")
      must(after.height > before.height && after.hash !== before.hash, "a new block is not seen")
      must(after.finalHeight <= after.height, "more is final than there is")
      yield* finalise
      must((yield* watcher.heads(chain, "endpoint")).finalHeight >= after.height, "it never becomes final")
    })
  },
  {
    name: "a deposit that a reorg removed is gone, and is no longer found",
    needs: "reorgs",
    check: Effect.gen(function*() {
      const { chain } = yield* FamilyFixture
      const watcher = yield* DepositWatcher
      const { found, id } = yield* deposited(1)
      yield* replaceNewest
      must((yield* watcher.standing(chain, found, "endpoint"))._tag === "Gone", "it is not gone")
      must((yield* watcher.look(chain, id)) === undefined, "a block still has it")
    })
  },
  {
    name: "a deposit in a block that replaced another is found from the cursor of the old one",
    needs: "reorgs",
    check: Effect.gen(function*() {
      const { cursors, other, replaced } = yield* replacement
      must(other.block.hash !== replaced.hash, "it is in the block that was taken back")
      must(cursors.new.hash !== cursors.old.hash, "the cursor stays in the history that was taken back")
      must(cursors.new.height >= other.block.height, "the cursor stays before what was found")
    })
  },
  {
    name: "a deposit in a block that replaced another is found at the height of the old one",
    needs: "reused-heights",
    check: Effect.map(
      replacement,
      ({ other, replaced }) => must(other.block.height === replaced.height, "it is at another height")
    )
  },
  {
    name: "a transaction is read by its id alone, and shows its deposits",
    check: Effect.gen(function*() {
      const { chain } = yield* FamilyFixture
      const watcher = yield* DepositWatcher
      const { id } = yield* deposited(1)
      const looked = yield* watcher.look(chain, id)
      must(looked?.length === 1, "its own deposit is not shown")
    })
  }
]

/**
 * The contract of `scanFinal`, on a chain that is read through two hosts, both of which its quorum needs: final blocks
 * are shown once, from the cursor on.
 */
export const finalScanContract: ReadonlyArray<Contract<DepositWatcher>> = [
  {
    name: "a scan of final blocks shows each deposit after the cursor once, and none beyond the final block",
    check: Effect.gen(function*() {
      const { chain, deposit, finalise, mine } = yield* FamilyFixture
      const watcher = yield* DepositWatcher
      const before = yield* watcher.head(chain)
      const first = yield* deposit(chain.native, 1_000n, orderOf(1))
      yield* mine
      const between = yield* watcher.head(chain)
      const second = yield* deposit(chain.native, 2_000n, orderOf(2))
      yield* mine
      yield* finalise
      const { newest } = yield* watcher.finality(chain, undefined)
      if (newest === undefined) return yield* Effect.die(new Error("no block is final"))
      yield* deposit(chain.native, 3_000n, orderOf(3))
      yield* mine
      const shown = Effect.fnUntraced(function*(from: Cursor) {
        const { cursor, deposits } = yield* watcher.scanFinal(chain, from, newest)
        must(cursor.height === newest.height && cursor.hash === newest.hash, "it ends before the final block")
        return deposits.map(({ transactionId }) => transactionId).join()
      })
      must((yield* shown(before)) === `${first},${second}`, "not both are shown, each once")
      // What lies shortly before the cursor may be shown once more, where a node's index is later than its blocks.
      must([second, `${first},${second}`].includes(yield* shown(between)), "it does not go on from the cursor")
      const replaced = { height: newest.height, hash: before.hash }
      must((yield* shown(replaced)) === `${first},${second}`, "it does not go back from a block that was replaced")
      const other = yield* Effect.exit(watcher.scanFinal(chain, before, replaced))
      must(Exit.isFailure(other), "an endpoint with another block at that height has answered")
    })
  }
]
