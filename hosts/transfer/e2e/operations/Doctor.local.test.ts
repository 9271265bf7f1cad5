import { assert, layer } from "@effect/vitest"
import { ConfigProvider, Effect, Logger, Schema } from "effect"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { zeroAddress } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { backup } from "../../../../adapters/storage/engine/Backup.ts"
import { findingKinds } from "../../../../src/domain/reconciliation/Finding.ts"
import type { Finding, FindingKind } from "../../../../src/domain/reconciliation/Finding.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { begin } from "../crash/testing/Scenarios.ts"
import { ended, nativeRequest, quote, reader, sendCall, sendDeposit, execute } from "../../testing/Client.ts"
import { closed, eventually, orderIdOf } from "../../testing/Misbehaving.ts"
import { runOperation } from "../../testing/RunOperation.ts"
import { USDC } from "../../testing/Tokens.ts"
import { startNetwork } from "../../testing/TransferNetwork.ts"
import { diagnose } from "../../operations/Diagnosis.ts"

const Answer = Schema.fromJsonString(Schema.Struct({
  agrees: Schema.Boolean,
  checked: Schema.Struct({ chains: Schema.Int, payments: Schema.Int, deposits: Schema.Int, unended: Schema.Int }),
  findings: Schema.Array(Schema.Struct({
    kind: Schema.Literals(findingKinds),
    chain: Schema.optionalKey(Schema.String),
    about: Schema.String,
    stored: Schema.String,
    found: Schema.String
  }))
}))
const decode = Schema.decodeUnknownSync(Answer)

/** The doctor's findings, in this process. */
const diagnosed = (environment: Readonly<Record<string, string>>, since?: number) =>
  Effect.provideService(diagnose(since), ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown(environment)).pipe(
    Effect.map(({ findings }) => findings),
    Effect.provide(Logger.layer([])),
    Effect.orDie
  )

/**
 * Transfers of a real host: a native and a token fill, one with calls, a refund. The host has ended, and its store is a
 * file.
 */
const settled = Effect.gen(function*() {
  const network = yield* startNetwork
  const { chains, environment } = network
  const [first = "0x", second = "0x", third = "0x", fourth = "0x"] = chains.users
  const store = environment["DATABASE_URL"]?.slice("sqlite:".length) ?? ""
  const live = yield* Effect.scoped(Effect.gen(function*() {
    const { url } = yield* network.startInstance()
    // Repeated while everything moves: work in flight is not a difference.
    const seen: Array<Finding> = []
    let looks = 0
    yield* diagnosed(environment).pipe(
      Effect.tap((findings) =>
        Effect.sync(() => {
          seen.push(...findings)
          looks += 1
        })
      ),
      Effect.andThen(Effect.sleep("20 millis")),
      Effect.forever,
      Effect.forkScoped
    )
    const fill = yield* begin(url, chains, first, "fill", 1)
    yield* sendDeposit(chains.alpha, first, fill.quoted)
    const refund = yield* begin(url, chains, second, "refund", 2)
    yield* sendDeposit(chains.alpha, second, refund.quoted)
    const user = privateKeyToAccount(third).address
    const token = yield* quote(url, {
      ...nativeRequest(user, chains.alpha, chains.beta, USDC.some),
      originCurrency: USDC.address,
      destinationCurrency: USDC.address
    })
    yield* execute(chains.alpha, third, token)
    const called = yield* quote(
      url,
      nativeRequest(privateKeyToAccount(fourth).address, chains.beta, chains.alpha, 10n ** 16n, {
        txs: [{ to: "0x000000000000000000000000000000000000ca11", value: "1000", data: "0x" }],
        txsGasLimit: 200_000
      })
    )
    yield* sendDeposit(chains.beta, fourth, called)
    for (const each of [fill.quoted, refund.quoted, token, called]) yield* ended(url, each)
    yield* eventually(
      "all deposits are closed",
      Effect.zip(closed(url, "filled"), closed(url, "refunded")),
      ([filled, refunded]) => filled + refunded === 4
    )
    // Beside the service, which owns the store.
    const [human, json] = yield* Effect.all([
      runOperation("doctor", environment),
      runOperation("doctor", environment, "--json")
    ], { concurrency: 2 })
    return { fill: fill.quoted, seen, looks, human, json }
  }))
  const copies = dirname(store)
  let count = 0
  /** Damages a copy of the store, and returns the doctor's findings. */
  const damaged = Effect.fnUntraced(function*(damage: (store: DatabaseSync) => void, since?: number) {
    const copy = join(copies, `damaged-${(count += 1)}.db`)
    yield* Effect.orDie(backup(store, copy))
    const opened = new DatabaseSync(copy)
    opened.exec("PRAGMA foreign_keys = OFF")
    damage(opened)
    opened.close()
    return yield* diagnosed({ ...environment, DATABASE_URL: `sqlite:${copy}` }, since)
  })
  return { chains, damaged, environment, ...live }
})

class Settled extends fixtureOf<Settled>()("test/DoctorNetwork", settled) {}

layer(Settled.layer, { excludeTestServices: true })("npm run doctor", (it) => {
  it.effect("reports that store and chains agree, while the service runs", () =>
    Effect.gen(function*() {
      const { human, json, looks, seen } = yield* Settled
      assert.isAbove(looks, 1)
      assert.deepStrictEqual(seen, [])
      assert.strictEqual(human.code, 0, `${human.out}${human.error}`)
      assert.include(human.out, "all agree")
      assert.strictEqual(json.code, 0)
      const report = decode(json.out)
      assert.deepStrictEqual(report, {
        agrees: true,
        checked: { chains: 2, payments: 4, deposits: 4, unended: 0 },
        findings: []
      })
    }))

  const names = (name: string, sql: string, ...kinds: ReadonlyArray<FindingKind>) =>
    it.effect(`reports ${name}`, () =>
      Effect.gen(function*() {
        const { damaged } = yield* Settled
        const findings = yield* damaged((store) => store.exec(sql))
        assert.deepStrictEqual(findings.map(({ kind }) => kind).toSorted(), kinds.toSorted(), JSON.stringify(findings))
      }))

  names(
    "a fill whose row is gone",
    "DELETE FROM payments WHERE leg = 'fill' AND currency = '0x0000000000000000000000000000000000000000' AND chain_id = 616102",
    "payment-unrecorded",
    "deposit-unpaid"
  )
  names(
    "a refund whose row is gone",
    "DELETE FROM payments WHERE leg <> 'fill'",
    "payment-unrecorded",
    "deposit-unpaid"
  )
  names("an amount that was changed", "UPDATE payments SET amount = '1' WHERE leg <> 'fill'", "payment-differs")
  names(
    "a recipient that was changed",
    "UPDATE payments SET recipient = '0x00000000000000000000000000000000000000ff' WHERE chain_id = 616101 AND leg = 'fill'",
    "payment-differs"
  )
  names(
    "a payment that succeeded and is recorded as reverted",
    "UPDATE payments SET state = 'reverted' WHERE leg <> 'fill'",
    "payment-succeeded",
    "deposit-unpaid"
  )
  names(
    "a payment that no chain has",
    `UPDATE payments SET transaction_id = '0x${"ab".repeat(32)}' WHERE leg <> 'fill'`,
    "payment-missing"
  )
  names(
    "a balance that is not the sum of its entries",
    "UPDATE ledger_accounts SET balance = '7' WHERE side = 'above'",
    "ledger-balance"
  )
  names("a deposit that was missed", "DELETE FROM deposits WHERE state = 'refunded'", "deposit-missed")
  names(
    "a deposit that was changed",
    "UPDATE deposits SET deposit = replace(deposit, '\"amount\":\"10000000000000000\"', '\"amount\":\"1\"') WHERE state = 'refunded'",
    "deposit-differs"
  )
  names(
    "a deposit that no chain has",
    "UPDATE deposits SET onchain_id = '0x' || substr(onchain_id, 4) || '0', deposit = replace(deposit, onchain_id, '0x' || substr(onchain_id, 4) || '0') WHERE state = 'refunded'",
    "deposit-missed",
    "deposit-vanished",
    "deposit-unpaid"
  )
  names(
    "more that is promised than there is",
    `INSERT INTO promises VALUES ('0x${
      "01".repeat(32)
    }', 616102, '0x0000000000000000000000000000000000000000', 'account', '${10n ** 30n}')`,
    "inventory-short"
  )

  it.effect("reports a request that is overdue in its state, and why", () =>
    Effect.gen(function*() {
      const { damaged } = yield* Settled
      const findings = yield* damaged((store) =>
        store.exec("UPDATE transfers SET status = 'submitted', updated_at = 1000 WHERE status = 'refund'")
      )
      assert.deepStrictEqual(findings.map(({ kind }) => kind), ["overdue-request"])
      assert.match(findings[0]?.found ?? "", /^its refund on alpha \(0x[0-9a-f]{64}\) is included/)
    }))

  it.effect("with --since checks what has happened since and what is still open, and nothing else", () =>
    Effect.gen(function*() {
      const { damaged, environment } = yield* Settled
      const now = Date.now()
      const changed = "UPDATE payments SET amount = '1' WHERE leg <> 'fill'"
      const gone = "DELETE FROM deposits WHERE state = 'refunded'"
      const kinds = (sql: string, since: number) =>
        Effect.map(
          damaged((store) => store.exec(sql), since),
          (findings) => findings.map(({ kind }) => kind).toSorted()
        )
      const begun = now - 3_600_000
      assert.deepStrictEqual([yield* kinds(changed, begun), yield* kinds(gone, begun)], [["payment-differs"], [
        "deposit-missed"
      ]])
      assert.deepStrictEqual([yield* kinds(changed, now), yield* kinds(gone, now)], [[], []])
      assert.deepStrictEqual(yield* kinds("DELETE FROM payments WHERE chain_id = 616102", now), [])
      // From each deposit's own block on, to the millisecond: it is included, and nothing before it is.
      const times: Array<number> = []
      yield* damaged((store) => {
        for (
          const { time } of store.prepare("SELECT json_extract(deposit, '$.block.time') AS time FROM deposits").all()
        ) times.push(Number(time) * 1000)
      })
      assert.lengthOf(times, 4)
      for (const time of times) {
        assert.deepStrictEqual(yield* kinds("", time), [])
        assert.deepStrictEqual(yield* kinds("", time + 1), [])
        const recent = times.filter((each) => each >= time).length
        assert.lengthOf(
          yield* kinds("DELETE FROM deposits; DELETE FROM payments; DELETE FROM account_sequences", time),
          recent
        )
        assert.lengthOf(
          yield* kinds("DELETE FROM deposits; DELETE FROM payments; DELETE FROM account_sequences", time + 1),
          times.filter((each) => each > time).length
        )
      }
      // Still open, at any age: the payment, the deposit, the request. The books are always checked as they are now.
      assert.deepStrictEqual(yield* kinds(`${changed}; UPDATE payments SET state = 'sent' WHERE leg <> 'fill'`, now), [
        "payment-differs"
      ])
      const altered =
        "UPDATE deposits SET state = 'open', deposit = replace(deposit, '\"amount\":\"10000000000000000\"', '\"amount\":\"1\"') WHERE state = 'refunded'"
      assert.deepStrictEqual(yield* kinds(altered, now), ["deposit-differs"])
      assert.deepStrictEqual(
        yield* kinds("UPDATE transfers SET status = 'submitted', updated_at = 1000 WHERE status = 'refund'", now),
        ["overdue-request"]
      )
      assert.deepStrictEqual(yield* kinds("UPDATE ledger_accounts SET balance = '7' WHERE side = 'above'", now), [
        "ledger-balance"
      ])

      const [all, none, wrong, missing] = yield* Effect.all([
        runOperation("doctor", environment, "--json", "--since", "1d"),
        runOperation("doctor", environment, "--since", new Date(now).toISOString(), "--json"),
        runOperation("doctor", environment, "--since", "soon"),
        runOperation("doctor", environment, "--since")
      ], { concurrency: 2 })
      assert.deepStrictEqual(decode(all.out).checked, { chains: 2, payments: 4, deposits: 4, unended: 0 })
      assert.deepStrictEqual(decode(none.out).checked, { chains: 2, payments: 0, deposits: 0, unended: 0 })
      assert.deepStrictEqual([all.code, none.code, wrong.code, missing.code], [0, 0, 2, 2])
      assert.include(wrong.error, "--since is a time that has passed")
    }))

  it.effect("cannot compare when a chain does not answer, or the store is of another version: that is no difference", () =>
    Effect.gen(function*() {
      const { environment } = yield* Settled
      const [ran, nowhere] = yield* Effect.all([
        runOperation("doctor", { ...environment, BETA_RPC_URL: "http://127.0.0.1:9" }),
        runOperation("doctor", { ...environment, DATABASE_URL: "sqlite:/nowhere/store.db" })
      ], { concurrency: 2 })
      assert.strictEqual(ran.code, 1)
      assert.include(ran.error, "beta could not be reached")
      assert.strictEqual(nowhere.code, 1)
    }))

  it.effect("reports unrecorded payments: one for an order that was paid, and one for none", () =>
    Effect.gen(function*() {
      const { chains: { beta, solver, solverKey }, damaged, environment, fill } = yield* Settled
      const again = yield* sendCall(beta, solverKey, {
        to: "0x000000000000000000000000000000000000beef",
        data: orderIdOf(fill),
        value: 5n
      })
      yield* sendCall(beta, solverKey, { to: zeroAddress, value: 1n })
      assert.isAbove(yield* Effect.promise(() => reader(beta).getTransactionCount({ address: solver })), 2)
      assert.strictEqual((yield* runOperation("doctor", environment)).code, 1)
      const findings = yield* damaged(() => {})
      assert.deepStrictEqual(findings.map(({ kind, chain }) => `${kind} ${chain}`), [
        "payment-unrecorded beta",
        "payment-unrecorded beta"
      ])
      assert.strictEqual(findings[0]?.about, again.transactionHash)
      assert.include(
        findings[0]?.found ?? "",
        `5 of ${zeroAddress} to 0x000000000000000000000000000000000000beef for order ${orderIdOf(fill)}`
      )
    }))
})
