/**
 * A stranger's contracts deposit thousands of times in a few transactions, without an id and under ids of no order:
 * each transaction is read once, no filling is started, and an honest deposit is filled. Under the id of another user's
 * order only a few are handled at a time, and that user's own deposit comes before them. `Dust.test.ts` counts the
 * statements.
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

/** Concurrent fillings of one order (`Watching`). */
const OF_ONE_ORDER = 4

/** The most logs in the node's answer: fewer than one transaction of dust has. */
const MOST_LOGS = 2_000

/** A bound on calls for all the dust before an honest deposit, however much of it a transaction holds. */
const MOST_CALLS = 20

/** How many executions the workflow engine ever had. */
const workflowsIn = (file: string): number => {
  const store = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
  const row = store.prepare("SELECT COUNT(DISTINCT entity_id) AS count FROM cluster_messages").get()
  store.close()
  return Number(row?.["count"])
}

/** How many fillings run, from one snapshot of the store. */
const atWork = (file: string, order: string, before: number): number => {
  const store = new DatabaseSync(file, { readOnly: true, timeout: 5_000 })
  const row = store.prepare(
    `SELECT (SELECT COUNT(DISTINCT entity_id) FROM cluster_messages) -
            (SELECT COUNT(*) FROM deposits WHERE deposit_id = ? AND state <> 'open') AS count`
  ).get(order)
  store.close()
  return Number(row?.["count"]) - before
}

/** The node's methods about one transaction, by its id. */
const ABOUT = ["eth_getTransactionReceipt", "eth_getTransactionByHash"]

it.live(
  "14,000 dust deposits in five transactions cost one read each and no workflow, and an honest deposit is filled, for any ids that they name",
  () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains: { alpha, beta, users }, environment, startInstance } = yield* startNetwork
      const node = yield* lyingNode(alpha.url)
      const { url } = yield* startInstance({ ALPHA_RPC_URL: node.url })
      const store = (environment["DATABASE_URL"] ?? "").slice("sqlite:".length)
      const [stranger = "0x", user = "0x"] = users
      const asked: Array<string> = []
      // Like many nodes, it returns no more logs in one answer, even for one block.
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

        // The honest deposit's own filling, and the watching of its payment, and no other.
        assert.strictEqual(workflowsIn(store) - workflows, 1)
        // Receipt and transaction of each, and once more if the node was too slow for a scan.
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
    }))
)
