/** Whatever is added between reads, and however long the list is, each read shows every deposit of its time once. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Result } from "effect"
import * as fc from "fast-check"
import { inputs } from "../../../scripts/testing/Tally.ts"
import type { ExchangeBClient } from "../rpc/ExchangeBClient.ts"
import { TransferList } from "./TransferList.ts"

const DEPOSITORY = 50
const PAGE = 3
const holder = { account: `${DEPOSITORY}`, token: Redacted.make("token") }

interface Entry {
  readonly tx_hash: string
  readonly timestamp: number
  readonly from_account_index: number
  readonly to_account_index: number
}

/** An exchange that lists its entries newest first, in pages of three. */
const exchange = () => {
  const entries: Array<Entry> = []
  const asked = { pages: 0 }
  const unasked = () => Effect.die(new Error("a list is read by its pages alone"))
  const client: ExchangeBClient = {
    transaction: unasked,
    logs: unasked,
    root: unasked,
    assets: unasked,
    account: unasked,
    nextNonce: unasked,
    transferFee: unasked,
    transactions: unasked,
    submit: unasked,
    transfers: (_, cursor) =>
      Effect.sync(() => {
        asked.pages += 1
        // A cursor names an entry, so what comes meanwhile shifts no page.
        const end = cursor === undefined ? entries.length : Number(cursor)
        const page = entries.slice(Math.max(0, end - PAGE), end).toReversed()
        return { code: 200, transfers: page, cursor: end > PAGE ? `${end - PAGE}` : "" }
      })
  }
  const add = (timestamp: number, isDeposit: boolean) => {
    entries.push({
      tx_hash: entries.length.toString(16).padStart(80, "0"),
      timestamp,
      from_account_index: isDeposit ? 7 : DEPOSITORY,
      to_account_index: isDeposit ? DEPOSITORY : 7
    })
  }
  const hashes = (since: number) =>
    entries.filter(({ timestamp, to_account_index: to }) => timestamp >= since && to === DEPOSITORY)
      .map(({ tx_hash }) => tx_hash)
  return { add, asked, client, hashes }
}

const read = (list: TransferList, client: ExchangeBClient, since: number) =>
  Effect.result(Effect.map(list.since(client, holder, since, 1_000), (found) => found.map<string>(({ id }) => id)))

const MINUTE = 60_000

describe("the list of a depository's transfers", () => {
  it.effect("shows inflows and what older answers do not name, and reads nothing of shares, stakes and its own", () =>
    Effect.gen(function*() {
      const { client } = exchange()
      const row = (nth: number, type?: string | null) => ({
        tx_hash: nth.toString(16).padStart(80, "0"),
        timestamp: nth,
        from_account_index: 7,
        to_account_index: DEPOSITORY,
        ...(type === undefined ? {} : { type })
      })
      const listing = (transfers: ReadonlyArray<unknown>): ExchangeBClient => ({
        ...client,
        transfers: () => Effect.succeed({ code: 200, transfers, cursor: "" })
      })
      const strange = [{ type: "L2StakeAssetOutflow", amount: "-1" }, { type: "L2MintSharesInflow", tx_hash: "" }]
      const named = ["L2TransferInflow", "L2TransferOutflow", "L2SelfTransfer", "L2BurnSharesInflow"]
      const rows = [row(9), row(8, null), ...named.map((type, at) => row(7 - at, type)), ...strange]
      const found = yield* read(new TransferList(), listing(rows), 0)
      assert.deepStrictEqual(Result.getOrThrow(found), [7, 8, 9].map((nth) => row(nth).tx_hash))
      // An inflow that says too little could be a deposit: the list is not taken for read.
      const damaged = yield* read(new TransferList(), listing([{ type: "L2TransferInflow", tx_hash: "" }]), 0)
      assert.deepStrictEqual(damaged, Result.fail("undecodable"))
    }))

  it("shows every deposit since a time, oldest first, whatever was added between reads", async () => {
    const steps = fc.array(
      fc.record({
        added: fc.array(fc.tuple(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 3 * MINUTE })), fc.boolean()), {
          maxLength: 12
        }),
        back: fc.integer({ min: 0, max: 20 * MINUTE })
      }),
      { minLength: 1, maxLength: 8 }
    )
    await fc.assert(
      fc.asyncProperty(steps, async (all) => {
        const { add, client, hashes } = exchange()
        const list = new TransferList()
        let now = 1_000 * MINUTE
        for (const { added, back } of all) {
          for (const [later, isDeposit] of added) {
            now += later
            add(now, isDeposit)
          }
          const found = await Effect.runPromise(read(list, client, now - back))
          assert.deepStrictEqual(found._tag === "Success" ? found.success : found.failure, hashes(now - back))
        }
      }),
      { numRuns: inputs(300, 30_000) }
    )
  })

  it("is read over several scans where it is long, also while more is added", async () => {
    const { add, asked, client, hashes } = exchange()
    const list = new TransferList()
    for (let index = 0; index < 400; index += 1) add(index, true)
    const kinds: Array<string> = []
    for (let scans = 0; scans < 12; scans += 1) {
      const before = asked.pages
      const found = await Effect.runPromise(read(list, client, 0))
      assert.isAtMost(asked.pages - before, 42)
      kinds.push(found._tag === "Success" ? `${found.success.length}` : found.failure)
      if (found._tag === "Success") {
        assert.deepStrictEqual(found.success, hashes(0))
        break
      }
      add(400 + scans, true)
    }
    assert.strictEqual(kinds[0], "behind")
    assert.match(kinds.at(-1) ?? "", /^40\d$/)
  })

  it("is read again where more has come than one read takes", async () => {
    const { add, client, hashes } = exchange()
    const list = new TransferList()
    for (let index = 0; index < 10; index += 1) add(index, true)
    await Effect.runPromise(read(list, client, 0))
    for (let index = 0; index < 300; index += 1) add(10 * MINUTE + index * MINUTE, true)
    const results: Array<string> = []
    for (let scans = 0; scans < 20 && results.at(-1) !== "read"; scans += 1) {
      const found = await Effect.runPromise(read(list, client, 0))
      if (found._tag === "Success") assert.deepStrictEqual(found.success, hashes(0))
      results.push(found._tag === "Success" ? "read" : found.failure)
    }
    assert.strictEqual(results.at(-1), "read")
  })
})
