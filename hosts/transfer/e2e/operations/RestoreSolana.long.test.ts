import { assert, describe, it } from "@effect/vitest"
import { createSolanaRpc, getBase64EncodedWireTransaction, getTransactionDecoder } from "@solana/kit"
import { Effect, Schema } from "effect"
import { DatabaseSync } from "node:sqlite"
import { dirname, join } from "node:path"
import { keyOfName } from "../../../localnet/nodes/solana/node/LocalKey.ts"
import { solanaChainId } from "../../../localnet/nodes/solana/SolanaChain.ts"
import { sponsor } from "../crash/testing/Scenarios.ts"
import {
  assertEachOnceOnSolana,
  assertSolanaSponsored,
  beginSolana,
  endedOnSolana,
  holdingsOf,
  paySolana
} from "../crash/testing/SolanaScenarios.ts"
import type { SolanaBegun, SolanaScenario } from "../crash/testing/SolanaScenarios.ts"
import { assertToldAsItWas } from "../crash/testing/SolanaHistory.ts"
import { unluckyNode } from "../crash/testing/Unlucky.ts"
import { eventually, openDeposits } from "../../testing/Misbehaving.ts"
import { runOperation } from "../../testing/RunOperation.ts"
import { SOL, startSolanaNetwork } from "../../testing/SolanaNetwork.ts"
import { addSponsors } from "../../testing/Sponsor.ts"

const Findings = Schema.fromJsonString(
  Schema.Struct({
    findings: Schema.Array(
      Schema.Struct({ kind: Schema.String, chain: Schema.optionalKey(Schema.String), about: Schema.String })
    )
  })
)
/** Except the sponsor's balance, which no transaction of the test's chains has credited. */
const kindsOf = (out: string) =>
  Schema.decodeUnknownSync(Findings)(out).findings.filter(({ about, kind }) =>
    kind !== "credit-unfounded" || !about.includes("(credit:test:crash)")
  ).map(({ chain, kind }) => `${kind} ${chain ?? ""}`.trim()).toSorted()

describe("a store with Solana that is restored from a backup", () => {
  it.live("holds payments until no earlier one can appear, finds what was paid since, and pays each deposit once; the doctor agrees", () =>
    Effect.scoped(Effect.gen(function*() {
      // At this pace it takes more than a minute until a signed transaction is dead, so a slow machine's host is
      // running by then.
      const network = yield* startSolanaNetwork(400)
      const { solana } = network
      const store = network.environment["DATABASE_URL"] ?? ""
      const file = join(dirname(store.slice("sqlite:".length)), "backups", "one.db")
      yield* addSponsors(store, [sponsor])
      const before = yield* holdingsOf(network)
      let keep = true
      const unlucky = yield* unluckyNode(solana, () => keep)
      const environment = { ...network.environment, SOLANA_RPC_URL: unlucky.url }
      const start = network.startHost({ SOLANA_RPC_URL: unlucky.url })
      const begun: Array<SolanaBegun> = []
      const transfer = Effect.fnUntraced(function*(url: string, flow: SolanaScenario) {
        const index = begun.length
        const one = yield* beginSolana(url, network, flow, index)
        begun.push(one)
        return { one, pay: paySolana(network, one, index), ended: endedOnSolana(url, one) }
      })

      const first = yield* start
      for (const flow of ["plain", "returned"] as const) {
        const { ended, pay } = yield* transfer(first.url, flow)
        yield* Effect.andThen(pay, ended)
      }
      // The store has the quotes from before the backup, but not their payments and deliveries, which come after it.
      const afterwards = yield* Effect.forEach(
        ["arriving", "leaving", "returned", "plain"] as const,
        (flow) => transfer(first.url, flow)
      )
      const late = yield* transfer(first.url, "plain")
      // Signed and dropped before the backup. Its replacement is signed after it.
      const anew = yield* transfer(first.url, "expired")
      yield* Effect.scoped(Effect.gen(function*() {
        yield* unlucky.strike
        yield* anew.pay
        yield* eventually("it was dropped", Effect.sync(unlucky.count), (count) => count === 1)
        const backedUp = yield* runOperation("backup", environment, file)
        assert.strictEqual(backedUp.code, 0, backedUp.error)
        keep = false
        yield* anew.ended
      }))
      keep = true
      for (const { ended, pay } of afterwards) yield* Effect.andThen(pay, ended)
      // Signed after the backup, and kept by a third party: the host is lost before a block has it.
      yield* Effect.scoped(Effect.gen(function*() {
        yield* unlucky.strike
        yield* late.pay
        yield* eventually("another one was dropped", Effect.sync(unlucky.count), (count) => count === 2)
        yield* first.kill("SIGKILL")
      }))
      const transaction = getTransactionDecoder().decode(Buffer.from(unlucky.wires()[1] ?? "", "base64"))
      yield* Effect.promise(() =>
        createSolanaRpc(solana.url).sendTransaction(getBase64EncodedWireTransaction(transaction), {
          encoding: "base64"
        }).send()
      )

      const restored = yield* runOperation("restore", environment, file)
      assert.strictEqual(restored.code, 0, restored.error)
      const second = yield* start
      const started = solana.chain.heightAt("processed")
      const later = yield* transfer(second.url, "plain")
      yield* later.pay
      yield* Effect.sleep("2 seconds")
      const goesOn = second.output().includes("go on")
      assert.isTrue(!goesOn || solana.chain.heightAt("processed") >= started + 150, second.output())
      yield* solana.mine(230)
      yield* eventually(
        "payments go on",
        Effect.sync(second.output),
        (output) => output.includes("payments on alpha, beta, solana-local go on")
      )
      const show = Effect.sync(() => process.stdout.write(second.output()))
      yield* Effect.andThen(
        assertEachOnceOnSolana(second.url, network, begun, before, true),
        assertSolanaSponsored(second.url, store, begun)
      ).pipe(Effect.tapCause(() => show))
      yield* assertToldAsItWas(second.url, network, begun)
      yield* eventually("all deposits are closed", openDeposits(environment), (open) => open === 0)
      assert.include(second.output(), "that was made after the backup is known again")
      assert.notInclude(second.output(), "which no record of this store explains")

      const doctor = (changes: Readonly<Record<string, string>> = {}) =>
        runOperation("doctor", { ...network.environment, ...changes }, "--json")
      const healthy = yield* doctor()
      assert.deepStrictEqual(kindsOf(healthy.out), [], `${healthy.out}${healthy.error}`)
      yield* second.kill("SIGKILL")
      const damaged = Effect.fnUntraced(function*(sql: string, undo: string) {
        const run = (text: string) =>
          Effect.sync(() => {
            const opened = new DatabaseSync(store.slice("sqlite:".length))
            opened.exec(text)
            opened.close()
          })
        yield* run(sql)
        const { code, error, out } = yield* doctor()
        yield* run(undo)
        assert.strictEqual(code, 1, error)
        return kindsOf(out)
      })
      const promise = `0x${"01".repeat(32)}`
      assert.deepStrictEqual(
        yield* damaged(
          `INSERT INTO promises VALUES ('${promise}', ${solanaChainId}, '${SOL}', 'account', '${10n ** 15n}')`,
          `DELETE FROM promises WHERE order_id = '${promise}'`
        ),
        ["inventory-short solana-local"]
      )
      const one = `chain_id = ${solanaChainId} AND order_id = '${begun[0]?.orderId ?? ""}'`
      assert.deepStrictEqual(
        yield* damaged(
          `UPDATE payments SET amount = '1' || amount WHERE ${one}`,
          `UPDATE payments SET amount = substr(amount, 2) WHERE ${one}`
        ),
        ["payment-differs solana-local"]
      )
      const elsewhere = yield* doctor({ SOLANA_GENESIS_HASH: keyOfName("another cluster").address })
      assert.strictEqual(elsewhere.code, 1, elsewhere.out)
      assert.include(elsewhere.out, "solana-local")
    })))
})
