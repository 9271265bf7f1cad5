/**
 * A solver with several accounts after a SIGKILL, and on a store that was restored from a backup: each order is paid
 * once.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { dirname, join } from "node:path"
import { isHex, keccak256, parseEther, recoverTransactionAddress, toHex } from "viem"
import type { Hex, TransactionSerializedEIP1559 } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { begin } from "../crash/testing/Scenarios.ts"
import type { Begun } from "../crash/testing/Scenarios.ts"
import { ended, sendDeposit, status } from "../../testing/Client.ts"
import { pooled } from "../../testing/FeePressure.ts"
import {
  fundFurther,
  furtherAccounts,
  furtherSettings,
  payingAccounts,
  sentByAny
} from "../../testing/FurtherAccounts.ts"
import {
  balanceOf,
  eventually,
  holdMining,
  openDeposits,
  orderIdOf,
  resumeMining,
  startMisbehaving
} from "../../testing/Misbehaving.ts"
import { runOperation } from "../../testing/RunOperation.ts"

const [mute = assert.fail()] = furtherAccounts

const isSigned = (value: unknown): value is TransactionSerializedEIP1559 => isHex(value) && value.startsWith("0x02")

const startAccounts = Effect.gen(function*() {
  const network = yield* startMisbehaving
  const { betaNode, chains } = network
  yield* fundFurther(chains)
  const key = (index: number): Hex => chains.users[index % chains.users.length] ?? "0x"
  const inPool = Effect.forEach(
    payingAccounts(chains),
    (account) => Effect.map(pooled(chains.beta, account), (waiting) => waiting.length)
  )
  /** Beta's node says that it has taken what one account sends, and drops it: signed and stored, but on no chain. */
  const dropped = new Set<TransactionSerializedEIP1559>()
  const dropAll = Effect.sync(() =>
    betaNode.lie(async ({ method, params: [raw] = [] }, truth) => {
      if (method !== "eth_sendRawTransaction" || !isSigned(raw)) return truth()
      if (await recoverTransactionAddress({ serializedTransaction: raw }) !== mute) return truth()
      dropped.add(raw)
      return { result: keccak256(raw) }
    })
  )
  const deposit = ({ quoted }: Begun, index: number) => sendDeposit(chains.alpha, key(index), quoted)
  /** Each was filled by one transaction of one account, which is all that its recipient has. */
  const assertPaidOnce = Effect.fnUntraced(function*(all: ReadonlyArray<Begun>) {
    const sent = [...yield* sentByAny(chains.alpha, chains), ...yield* sentByAny(chains.beta, chains)]
    for (const [index, { paid, quoted }] of all.entries()) {
      const payments = sent.filter(({ input }) => input === orderIdOf(quoted))
      assert.lengthOf(payments, 1, `payments of ${index}`)
      assert.strictEqual(yield* balanceOf(chains.beta, paid), payments[0]?.value, `what ${index} was paid`)
    }
    return sent
  })
  return { ...network, assertPaidOnce, deposit, dropAll, dropped, inPool, key }
})

describe("a solver with several accounts", () => {
  it.live("that was killed sends what each of them had signed, also what no node has, and signs nothing twice", () =>
    Effect.scoped(Effect.gen(function*() {
      const { assertPaidOnce, betaNode, chains, deposit, dropAll, dropped, inPool, key, startHost, startInstance } =
        yield* startAccounts
      const first = yield* startHost(furtherSettings)
      const all = yield* Effect.forEach(
        [0, 1, 2, 3, 4, 5],
        (index) => begin(first.url, chains, key(index), "fill", index)
      )
      yield* holdMining(chains.beta)
      yield* dropAll
      yield* Effect.forEach(all, deposit, { concurrency: "unbounded" })
      yield* eventually(
        "two wait for each, two of one are dropped",
        inPool,
        (counts) => counts.join() === "2,0,2" && dropped.size === 2
      )
      yield* first.kill("SIGKILL")
      betaNode.tellTheTruth()
      const second = yield* startInstance(furtherSettings)
      yield* eventually("the dropped ones are sent again", inPool, (counts) => counts.join() === "2,2,2")
      yield* resumeMining(chains.beta)
      for (const { quoted } of all) assert.strictEqual((yield* ended(second.url, quoted)).status, "success")
      const sent = yield* assertPaidOnce(all)
      for (const raw of dropped) assert.include(sent.map(({ hash }) => hash), keccak256(raw))
    })))

  it.live("whose store is restored finds what each has paid since, waits for gas of an empty account, and pays each once", () =>
    Effect.scoped(Effect.gen(function*() {
      const running = yield* startAccounts
      const {
        assertPaidOnce,
        betaNode,
        chains,
        deposit,
        dropAll,
        dropped,
        environment,
        inPool,
        startHost,
        startInstance
      } = running
      const file = join(dirname(environment["DATABASE_URL"]?.slice("sqlite:".length) ?? ""), "backups", "one.db")
      const first = yield* startHost(furtherSettings)
      const all = yield* Effect.forEach(
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
        (index) => begin(first.url, chains, running.key(index), "fill", index)
      )
      const pay = (from: number, to: number) =>
        Effect.forEach(all.slice(from, to), (each, index) => deposit(each, from + index), { concurrency: "unbounded" })
      const untilEnded = (url: string, from: number, to: number) =>
        Effect.forEach(all.slice(from, to), ({ quoted }) => ended(url, quoted))
      // Each account has paid when the backup is taken.
      yield* holdMining(chains.beta)
      yield* pay(0, 3)
      yield* eventually("one waits for each", inPool, (counts) => counts.join() === "1,1,1")
      yield* resumeMining(chains.beta)
      yield* untilEnded(first.url, 0, 3)
      const backedUp = yield* runOperation("backup", { ...environment, ...furtherSettings }, file)
      assert.strictEqual(backedUp.code, 0, backedUp.error)
      yield* pay(3, 6)
      yield* untilEnded(first.url, 3, 6)
      // Then none is in flight, and each account gets one of the next three.
      yield* eventually("all are final", openDeposits(environment), (open) => open === 0)
      // One waits in the pool for each of two accounts, and the third's is on no node.
      yield* holdMining(chains.beta)
      yield* dropAll
      yield* pay(6, 9)
      yield* eventually("one is dropped, two wait", inPool, (counts) => counts.join() === "1,0,1" && dropped.size > 0)
      yield* first.kill("SIGKILL")
      betaNode.tellTheTruth()
      const restored = yield* runOperation("restore", { ...environment, ...furtherSettings }, file)
      assert.strictEqual(restored.code, 0, restored.error)

      // Without their keys, nothing is known of what the further accounts have signed since.
      const keyless = yield* startInstance()
      yield* eventually(
        "the log names the accounts",
        Effect.sync(keyless.output),
        (output) =>
          output.split("\n").some((line) =>
            line.includes("is not configured") && furtherAccounts.every((each) => line.includes(each.toLowerCase()))
          )
      )
      yield* keyless.stop

      // A retired account without money cannot use up the nonces that it may have signed with.
      const retired = toHex(0xacc3, { size: 32 })
      const empty = privateKeyToAccount(retired).address
      const settings = { ...furtherSettings, SOLVER_RETIRED_PRIVATE_KEYS: retired }
      const second = yield* startInstance(settings)
      yield* resumeMining(chains.beta)
      yield* eventually(
        "the log names the account",
        Effect.sync(second.output),
        (output) =>
          output.split("\n").some((line) =>
            line.includes(empty.toLowerCase()) && line.includes("it may lack native currency for gas")
          )
      )
      yield* pay(9, 10)
      for (const { quoted } of all.slice(3)) {
        assert.notInclude(["success", "refund"], (yield* status(second.url, quoted)).status)
      }
      for (const anvil of [chains.alpha, chains.beta]) {
        yield* anvil.request("anvil_setBalance", [empty, toHex(parseEther("1"))])
      }
      yield* untilEnded(second.url, 0, 10)
      for (const { quoted } of all) assert.strictEqual((yield* status(second.url, quoted)).status, "success")
      yield* eventually("all deposits are closed", openDeposits(environment), (open) => open === 0)
      yield* assertPaidOnce(all)
      for (const raw of dropped) {
        assert.isTrue(Exit.isFailure(yield* Effect.exit(chains.beta.request("eth_sendRawTransaction", [raw]))))
      }
      const doctor = yield* runOperation("doctor", { ...environment, ...settings })
      assert.strictEqual(doctor.code, 0, `${doctor.out}${doctor.error}`)
    })))
})
