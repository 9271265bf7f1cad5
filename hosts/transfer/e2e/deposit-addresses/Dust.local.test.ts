/**
 * A stranger's contracts deposit thousands of times in a few transactions, under no id and under ids of no order: each
 * transaction is read once, nothing is begun, and an honest deposit is filled. Under the id of somebody's order a few
 * are at work at a time, and his own deposit is before them. `Dust.test.ts` counts the statements.
 */
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { DatabaseSync } from "node:sqlite"
import { privateKeyToAccount } from "viem/accounts"
import { named as dustUnder, nameless } from "../../testing/DustContract.ts"
import { ended, nativeRequest, quote, sendDeposit } from "../../testing/Client.ts"
import { lyingNode } from "../../testing/LyingNode.ts"
import { closed, eventually, openDeposits, orderIdOf } from "../../testing/Misbehaving.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"

const TRANSACTIONS = 5
const EACH = 2_800

/** Fillings of one order at a time (`Watching`). */
const OF_ONE_ORDER = 4

/** Of an answer of the node: less than one transaction of dust has. */
const MOST_LOGS = 2_000

/** About all the dust that is before an honest deposit, however much of it a transaction holds. */
const MOST_CALLS = 20

/** How many executions the workflow engine was ever given. */
const workflowsIn = (file: string): number => {
  const store = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
  const row = store.prepare("SELECT COUNT(DISTINCT entity_id) AS count FROM cluster_messages").get()
  store.close()
  return Number(row?.["count"])
}

/** How many fillings are at work, by the store's own account of one moment. */
const atWork = (file: string, order: string, before: number): number => {
  const store = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
  const row = store.prepare(
    `SELECT (SELECT COUNT(DISTINCT entity_id) FROM cluster_messages) -
            (SELECT COUNT(*) FROM deposits WHERE deposit_id = ? AND state <> 'open') AS count`
  ).get(order)
  store.close()
  return Number(row?.["count"]) - before
}

/** What is asked of a node about one transaction, by its id. */
const ABOUT = ["eth_getTransactionReceipt", "eth_getTransactionByHash"]

it.live(
  "14,000 deposits of dust in five transactions cost a reading each and no workflow, and an honest deposit is filled, whatever ids they name",
  () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains: { alpha, beta, users }, environment, startHost } = yield* startNetwork
      const node = yield* lyingNode(alpha.url)
      const { url } = yield* startHost({ ALPHA_RPC_URL: node.url })
      const store = (environment["DATABASE_URL"] ?? "").slice("sqlite:".length)
      const [stranger = "0x", user = "0x"] = users
      const asked: Array<string> = []
      // Like many nodes, it gives no more logs in an answer, also not of one block.
      let refused = 0
      node.lie(async ({ method, params }, truth) => {
        if (ABOUT.includes(method)) asked.push(String(params?.[0]))
        const answer = await truth()
        if (method !== "eth_getLogs" || !Array.isArray(answer.result) || answer.result.length <= MOST_LOGS) {
          return answer
        }
        refused += 1
        return { error: { code: -32005, message: `query returned more than ${MOST_LOGS} results` } }
      })

      const kinds = [yield* nameless(alpha, stranger, EACH, TRANSACTIONS), yield* dustUnder(alpha, stranger, EACH)]
      for (const [round, send] of kinds.entries()) {
        const workflows = workflowsIn(store)
        const dust: Array<string> = []
        for (let sent = 0; sent < TRANSACTIONS; sent += 1) {
          const { logs, status, transactionHash } = yield* send()
          assert.deepStrictEqual([status, logs.length], ["success", EACH])
          dust.push(transactionHash)
        }
        const quoted = yield* quote(url, nativeRequest(privateKeyToAccount(user).address, alpha, beta, 10n ** 16n))
        yield* sendDeposit(alpha, user, quoted)
        assert.strictEqual((yield* ended(url, quoted)).status, "success")
        yield* eventually("the dust is nobody's", closed(url, "foreign"), (count) =>
          count === (round + 1) * TRANSACTIONS * EACH)

        // The honest deposit's own filling, with the watching of its payment, and no other.
        assert.strictEqual(workflowsIn(store) - workflows, 1)
        // Receipt and transaction of each, and once more should the node have been too slow for a scan.
        const calls = asked.filter((hash) =>
          dust.includes(hash)
        ).length
        assert.isAtLeast(calls, TRANSACTIONS * ABOUT.length)
        assert.isAtMost(calls, MOST_CALLS)
      }

      const before = workflowsIn(store)
      const quoted = yield* quote(url, nativeRequest(privateKeyToAccount(user).address, alpha, beta, 10n ** 16n))
      const order = orderIdOf(quoted)
      const named = yield* dustUnder(alpha, stranger, EACH, order)
      for (let sent = 0; sent < TRANSACTIONS; sent += 1) assert.strictEqual((yield* named()).status, "success")
      yield* sendDeposit(alpha, user, quoted)
      assert.strictEqual((yield* ended(url, quoted)).status, "success")
      yield* eventually("all of it is seen", openDeposits(environment), (open) => open > TRANSACTIONS * EACH - 1_000)
      const now = atWork(store, order, before)
      assert.isAtLeast(now, 1)
      assert.isAtMost(now, OF_ONE_ORDER)
      assert.isAtLeast(refused, 1)
    })),
  300_000
)
