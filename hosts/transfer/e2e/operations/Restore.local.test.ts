import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Redacted } from "effect"
import { readdirSync } from "node:fs"
import { basename, dirname, join } from "node:path"
import { isHex, keccak256, parseTransaction } from "viem"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import * as PostgresServer from "../../../../adapters/storage/testing/PostgresServer.ts"
import { requirePostgres } from "../../../../scripts/testing/Capability.ts"
import type { Anvil } from "../../../localnet/nodes/ethereum/Anvil.ts"
import { begin } from "../crash/testing/Scenarios.ts"
import type { Begun } from "../crash/testing/Scenarios.ts"
import { addressFor, payTo } from "../../testing/Addressed.ts"
import { ended, nativeRequest, reader, sendDeposit, status } from "../../testing/Client.ts"
import type { QuoteAnswer } from "../../testing/Client.ts"
import {
  balanceOf,
  eventually,
  holdMining,
  openDeposits,
  orderIdOf,
  resumeMining,
  startMisbehaving
} from "../../testing/Misbehaving.ts"
import { runDoctor, runOperation } from "../../testing/RunOperation.ts"
import { sendRaw, signTransfer } from "../../testing/SignedDeposit.ts"
import { ETH } from "../../testing/Tokens.ts"

/** Every transaction of the solver that is in a block. */
const sentBy = (anvil: Anvil, solver: Hex) =>
  Effect.promise(async () => {
    const client = reader(anvil)
    const heights = Array.from({ length: Number(await client.getBlockNumber()) + 1 }, (_, index) => BigInt(index))
    const blocks = await Promise.all(
      heights.map((blockNumber) => client.getBlock({ blockNumber, includeTransactions: true }))
    )
    return blocks.flatMap(({ transactions }) => transactions).filter(({ from }) =>
      from.toLowerCase() === solver.toLowerCase()
    )
  })

const pendingOf = (anvil: Anvil, solver: Hex) =>
  Effect.promise(async () => {
    const client = reader(anvil)
    const [pending, latest] = await Promise.all([
      client.getTransactionCount({ address: solver, blockTag: "pending" }),
      client.getTransactionCount({ address: solver, blockTag: "latest" })
    ])
    return pending - latest
  })

const programs = requirePostgres()

describe("a store that is restored from a backup", () => {
  it.live("finds what was paid since, also what was in no block yet, and pays each deposit once", () =>
    Effect.scoped(Effect.gen(function*() {
      const { betaNode, chains, environment, startHost, startInstance } = yield* startMisbehaving
      const { alpha, beta, solver, users } = chains
      const store = environment["DATABASE_URL"]?.slice("sqlite:".length) ?? ""
      const file = join(dirname(store), "backups", "one.db")
      const key = (index: number): Hex => users[index % users.length] ?? "0x"
      const deposit = ({ quoted }: Begun, index: number) => sendDeposit(alpha, key(index), quoted)

      const first = yield* startHost()
      // All are quoted before the backup. 0 and 1 end before it, and 2 to 5 after it. 6 waits for a block when the host
      // is lost, 7 is signed but not broadcast, 8 and 9 come later.
      const all = yield* Effect.forEach(
        Array.from({ length: 10 }, (_, index) => index),
        (index) => begin(first.url, chains, key(index), index % 2 === 0 || index === 7 ? "fill" : "refund", index)
      )
      const range = (from: number, to: number) =>
        all.slice(from, to).map((begun, index) => ({ begun, index: from + index }))
      const pay = (from: number, to: number) =>
        Effect.forEach(range(from, to), ({ begun, index }) => deposit(begun, index))
      yield* pay(0, 2)
      yield* Effect.forEach(range(0, 2), ({ begun }) => ended(first.url, begun.quoted))
      // In the middle of work: the deposits exist, and their fillings may have begun.
      yield* pay(2, 4)
      const backedUp = yield* runOperation("backup", environment, file)
      assert.strictEqual(backedUp.code, 0, backedUp.error)
      yield* pay(4, 6)
      yield* Effect.forEach(range(0, 6), ({ begun }) => ended(first.url, begun.quoted))
      yield* holdMining(beta)
      yield* pay(6, 7)
      yield* eventually("a payment is signed and waits for a block", pendingOf(beta, solver), (count) => count === 1)
      const withheld = new Set<Hex>()
      betaNode.lie(({ method, params = [] }, truth) => {
        const [raw] = params
        if (method !== "eth_sendRawTransaction" || !isHex(raw)) return truth()
        withheld.add(raw)
        return Promise.resolve({ result: keccak256(raw) })
      })
      yield* pay(7, 8)
      yield* eventually(
        "another one is signed",
        Effect.sync(() =>
          [...withheld].filter((raw) => parseTransaction(raw).data === orderIdOf(all[7]?.quoted ?? assert.fail()))
            .length
        ),
        (count) => count === 1
      )
      const refused = yield* runOperation("restore", environment, file)
      assert.strictEqual(refused.code, 1)
      assert.include(refused.error, `is in use by process ${first.pid}`)
      yield* first.kill("SIGKILL")
      betaNode.tellTheTruth()

      const restored = yield* runOperation("restore", environment, file)
      assert.strictEqual(restored.code, 0, restored.error)
      assert.lengthOf(
        readdirSync(dirname(store)).filter((name) =>
          name.startsWith(`${basename(store)}.replaced-`) && !/-(wal|shm)$/.test(name)
        ),
        1
      )
      const second = yield* startInstance()
      // The restored store does not know these payments: it must not repeat them while it does not know.
      for (const index of [4, 5]) {
        assert.notInclude(
          ["success", "refund"],
          (yield* status(second.url, all[index]?.quoted ?? assert.fail())).status
        )
      }
      yield* pay(8, 10)
      yield* Effect.sleep("1500 millis")
      assert.isFalse(second.output().includes("payments on alpha, beta go on"))
      yield* resumeMining(beta)
      const ends = yield* Effect.forEach(all, ({ quoted }) =>
        ended(second.url, quoted).pipe(
          Effect.timeoutOrElse({
            duration: "300 seconds",
            orElse: () =>
              Effect.flatMap(
                status(second.url, quoted),
                (now) => Effect.die(new Error(`${JSON.stringify(now)}\n${second.output()}`))
              )
          })
        ))
      yield* eventually("all deposits are closed", openDeposits(environment), (open) => open === 0)

      // Sending the lost bytes now has no effect: another transaction, which moves nothing, has their nonce.
      const lost = [...withheld].filter((raw) =>
        parseTransaction(raw).data === orderIdOf(all[7]?.quoted ?? assert.fail())
      )
      for (const raw of lost) {
        assert.isTrue(Exit.isFailure(yield* Effect.exit(beta.request("eth_sendRawTransaction", [raw]))))
      }
      const standIn = (yield* sentBy(beta, solver)).find(({ nonce }) =>
        nonce === parseTransaction(lost[0] ?? "0x").nonce
      )
      assert.strictEqual(standIn?.input, "0x")
      const sent = [...(yield* sentBy(alpha, solver)), ...(yield* sentBy(beta, solver))]
      for (const [index, { paid, quoted, scenario }] of all.entries()) {
        assert.strictEqual(ends[index]?.status, scenario === "fill" ? "success" : "refund", `${index}`)
        const payments = sent.filter(({ input }) => input === orderIdOf(quoted))
        assert.lengthOf(payments, 1, `payments of ${index}`)
        assert.strictEqual(
          yield* balanceOf(scenario === "fill" ? beta : alpha, paid),
          payments[0]?.value,
          `what ${index} was paid`
        )
      }
      // Everything else that the account sent moves nothing: it used up nonces.
      const others = sent.filter(({ input }) => !all.some(({ quoted }) => orderIdOf(quoted) === input))
      assert.isAbove(others.length, 0)
      assert.isTrue(
        others.every(({ input, to, value }) =>
          input === "0x" && value === 0n && to?.toLowerCase() === solver.toLowerCase()
        )
      )
      assert.include(second.output(), "payments on alpha, beta go on")
      assert.include(second.output(), "that was made after the backup is known again")
      const doctor = yield* runDoctor(environment)
      assert.strictEqual(doctor.code, 0, `${doctor.out}${doctor.error}`)
    })))

  it.live("knows the sweeps before and after the backup, sweeps later money again, and fills and refunds each deposit once", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains: { alpha, beta, operator, users: [user = "0x"] }, environment, startHost, startInstance } =
        yield* startMisbehaving
      const file = join(dirname(environment["DATABASE_URL"]?.slice("sqlite:".length) ?? ""), "backups", "one.db")
      const first = yield* startHost()
      const ask = (n: number) => {
        const [recipient, refundTo] = [n, n + 16].map((last): Hex =>
          `0x${(0xca_0000 + last).toString(16).padStart(40, "0")}`
        )
        return Effect.map(
          addressFor(
            first.url,
            nativeRequest(privateKeyToAccount(user).address, alpha, beta, ETH.some, {
              recipient,
              refundTo,
              strict: true
            })
          ),
          (asked) => ({ ...asked, recipient: recipient ?? "0x", refundTo: refundTo ?? "0x" })
        )
      }
      // Swept after the backup. When the backup is taken, a sweep of the second is in flight, and the third is paid
      // while no host runs.
      const all = yield* Effect.forEach([1, 2, 3], ask)
      const [after, before, late] = all
      if (after === undefined || before === undefined || late === undefined) return assert.fail()
      yield* holdMining(alpha)
      yield* sendRaw(alpha, yield* signTransfer(alpha, user, before.depositAddress, ETH.some))
      yield* alpha.mine(1)
      yield* eventually("a sweep is on its way", pendingOf(alpha, operator), (count) => count === 1)
      const backedUp = yield* runOperation("backup", environment, file)
      assert.strictEqual(backedUp.code, 0, backedUp.error)
      yield* resumeMining(alpha)
      yield* payTo(alpha, user, after.depositAddress, ETH, ETH.some)
      const assertFilled = ({ output, url }: Pick<typeof first, "output" | "url">, quoted: QuoteAnswer) =>
        ended(url, quoted).pipe(
          Effect.timeoutOrElse({
            duration: "300 seconds",
            orElse: () =>
              Effect.flatMap(status(url, quoted), (now) => Effect.die(new Error(`${JSON.stringify(now)}\n${output()}`)))
          }),
          Effect.map((end) => assert.strictEqual(end.status, "success"))
        )
      for (const { quoted } of [before, after]) yield* assertFilled(first, quoted)
      yield* first.kill("SIGKILL")
      yield* payTo(alpha, user, late.depositAddress, ETH, ETH.some)
      const restored = yield* runOperation("restore", environment, file)
      assert.strictEqual(restored.code, 0, restored.error)

      const second = yield* startInstance()
      for (const { quoted } of all) yield* assertFilled(second, quoted)
      assert.include(second.output(), "payments on alpha, beta go on")
      // The first address reuses the number of the sweep that the store lost. The others use the next number.
      for (const { depositAddress } of all) yield* payTo(alpha, user, depositAddress, ETH, ETH.some)
      for (const { refundTo } of all) {
        yield* eventually("the second deposit is back", balanceOf(alpha, refundTo), (balance) => balance > 0n)
      }
      yield* eventually("all deposits are closed", openDeposits(environment), (open) => open === 0)
      for (const { depositAddress, recipient, refundTo } of all) {
        // Once each. Deposits that waited for the restore got a new price. Both amounts are the deposit less its costs.
        for (const paid of [yield* balanceOf(beta, recipient), yield* balanceOf(alpha, refundTo)]) {
          assert.isTrue(paid > ETH.some * 9n / 10n && paid < ETH.some, `${paid}`)
        }
        assert.strictEqual(yield* balanceOf(alpha, depositAddress), 0n)
      }
      const doctor = yield* runDoctor(environment)
      assert.strictEqual(doctor.code, 0, `${doctor.out}${doctor.error}`)
    })))

  it.live.skipIf(programs === undefined)(
    "is PostgreSQL: its own tools restore it, and it is marked",
    () =>
      Effect.scoped(Effect.gen(function*() {
        const server = yield* PostgresServer.start(programs ?? { initdb: "", pgCtl: "" })
        const environment = { DATABASE_URL: Redacted.value(yield* server.createDatabase) }
        const marked = yield* runOperation("restore", environment, "--mark")
        assert.strictEqual(marked.code, 0, marked.error)
        assert.include(marked.out, "is marked as restored")
        assert.notInclude(marked.out, environment.DATABASE_URL)
        const refused = yield* runOperation("backup", environment, "/nowhere/backup.db")
        assert.strictEqual(refused.code, 1)
        assert.include(refused.error, "PostgreSQL has tools of its own")
      }))
  )
})
