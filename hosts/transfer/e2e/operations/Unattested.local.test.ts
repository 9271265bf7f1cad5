/**
 * Deposits whose refund no oracle would sign: refunded within a cap, and never filled. On real chains, across restarts
 * of the service.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { encodeFunctionData, erc20Abi, toHex } from "viem"
import type { Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { abi as depositoryAbi } from "../../../../adapters/ethereum/contracts/artifacts/Depository.ts"
import { addressOf } from "../../../localnet/nodes/ethereum/Addresses.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { ended, nativeRequest, post, quote, sendCall, status } from "../../testing/Client.ts"
import type { QuoteAnswer } from "../../testing/Client.ts"
import { get } from "../../testing/Get.ts"
import {
  alarms,
  balanceOf,
  closed,
  counter,
  eventually,
  openDeposits,
  orderIdOf,
  paymentsOf,
  startMisbehaving
} from "../../testing/Misbehaving.ts"
import { sendPoisoned } from "../../testing/PoisonedMint.ts"
import { runOperation } from "../../testing/RunOperation.ts"
import { ETH, held, USDC, USDT } from "../../testing/Tokens.ts"

const ADMIN = "a-token-of-thirty-two-characters-or-more"

const makeRunning = Effect.gen(function*() {
  const network = yield* startMisbehaving
  return { ...network, key: (index: number): Hex => network.chains.users[index] ?? "0x" }
})

class Running extends fixtureOf<Running>()("test/UnattestedRunning", makeRunning) {}

const capped = (dollars: number) => ({ UNATTESTED_REFUNDS_USD: `${dollars}`, ADMIN_TOKEN: ADMIN })

/** The service with this cap in dollars, over the one store of all tests. */
const withCap = Effect.fnUntraced(function*(dollars: number) {
  const { startInstance } = yield* Running
  return yield* startInstance(capped(dollars))
})

const fresh = (index: number) => toHex(0xcab0000 + index, { size: 20 })

/** An order for USDC, for which the user deposits USDT: about 25 dollars whose refund no oracle attests. */
const wrongDeposit = Effect.fnUntraced(function*(url: string, index: number) {
  const { chains: { alpha, beta }, key } = yield* Running
  const user = privateKeyToAccount(key(index)).address
  const body = {
    ...nativeRequest(user, alpha, beta, USDC.some),
    originCurrency: USDC.address,
    destinationCurrency: USDC.address,
    refundTo: fresh(index)
  }
  const quoted: QuoteAnswer = yield* quote(url, body)
  const depository = addressOf("Depository")
  yield* sendCall(alpha, key(index), {
    to: USDT.address,
    data: encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [depository, USDT.some] })
  })
  const args = [user, USDT.address, USDT.some, orderIdOf(quoted)] as const
  yield* sendCall(alpha, key(index), {
    to: depository,
    data: encodeFunctionData({ abi: depositoryAbi, functionName: "depositErc20", args })
  })
  return quoted
})

const idOf = ({ steps }: QuoteAnswer): string => steps[0]?.requestId ?? ""

const admin = { authorization: `Bearer ${ADMIN}` }

const asked = (url: string, quoted: QuoteAnswer, body: object) =>
  post(`${url}/admin/requests/${idOf(quoted)}/retry`, body, admin)

const retry = (url: string, quoted: QuoteAnswer) => Effect.map(asked(url, quoted, {}), (answer) => answer.json())

const Overview = Schema.Struct({
  refundsHeld: Schema.Array(
    Schema.Struct({ requestId: Schema.String, deposit: Schema.String, depositor: Schema.String, usd: Schema.String })
  ),
  refundsDecided: Schema.Array(Schema.Struct({ requestId: Schema.String, deposit: Schema.String, by: Schema.String }))
})

const overview = (url: string) =>
  Effect.map(
    get(`${url}/admin/overview`, { headers: admin }),
    (answer) => Schema.decodeUnknownSync(Overview)(answer.json())
  )

layer(Running.layer, { excludeTestServices: true })("a refund that no oracle attests", (it) => {
  it.effect("is paid within the cap; beyond it the money waits, across restarts, until an operator raises the cap and retries it: then it is paid once", () =>
    Effect.gen(function*() {
      const { chains: { alpha }, environment } = yield* Running
      const first = yield* withCap(40)
      const paid = yield* wrongDeposit(first.url, 0)
      const end = yield* ended(first.url, paid)
      assert.deepStrictEqual([end.status, end.failReason], ["refund", "INCORRECT_DEPOSIT_CURRENCY"])
      assert.isAtLeast(yield* counter(first.url, "unattested_refunds_usd_total", "alpha"), 25)
      const waiting = yield* wrongDeposit(first.url, 1)
      yield* eventually("the second waits", closed(first.url, "unrefundable"), (count) => count === 1)
      assert.deepStrictEqual([
        yield* alarms(first.url, "unattested-refunds-capped"),
        yield* alarms(first.url, "unrefundable")
      ], [1, 0])
      const now = yield* status(first.url, waiting)
      assert.deepStrictEqual([now.status, now.refunds[0]?.state, now.refunds[0]?.reason], [
        "delayed",
        "held",
        "INCORRECT_DEPOSIT_CURRENCY"
      ])
      // A retry without room in the cap leaves it waiting.
      assert.deepStrictEqual(yield* retry(first.url, waiting), { deposits: 1, settlements: 0 })
      yield* eventually("it waits again", closed(first.url, "unrefundable"), (count) => count === 2)
      yield* first.stop

      // The next process knows what was reserved.
      const second = yield* withCap(45)
      assert.deepStrictEqual(yield* retry(second.url, waiting), { deposits: 1, settlements: 0 })
      yield* eventually("it waits after a restart", closed(second.url, "unrefundable"), (count) => count === 1)
      assert.strictEqual(yield* held(alpha, USDT, fresh(1)), 0n)
      yield* second.stop

      const third = yield* withCap(60)
      assert.deepStrictEqual(yield* retry(third.url, waiting), { deposits: 1, settlements: 0 })
      const late = yield* ended(third.url, waiting)
      assert.deepStrictEqual([late.status, late.failReason], ["refund", "INCORRECT_DEPOSIT_CURRENCY"])
      assert.strictEqual(`${yield* held(alpha, USDT, fresh(1))}`, late.refunds[0]?.refunded)
      // Also while its refund is not final yet: a retry does not pay it again.
      yield* retry(third.url, waiting)
      yield* eventually("it is over", openDeposits(environment), (count) => count === 0)
      assert.strictEqual(`${yield* held(alpha, USDT, fresh(1))}`, late.refunds[0]?.refunded)
      assert.deepStrictEqual(yield* retry(third.url, waiting), { deposits: 0, settlements: 0 })
      yield* third.stop
    }))

  it.effect("for a stranger shows as held everywhere, and is paid once in spite of the cap when an operator decides so, also across a crash", () =>
    Effect.gen(function*() {
      const { chains: { alpha, beta }, environment, key } = yield* Running
      const host = yield* (yield* Running).startHost(capped(0))
      const user = privateKeyToAccount(key(7)).address
      const stranger = privateKeyToAccount(key(8)).address
      const quoted = yield* quote(host.url, {
        ...nativeRequest(user, alpha, beta, USDC.some),
        originCurrency: USDC.address,
        destinationCurrency: USDC.address
      })
      const depository = addressOf("Depository")
      yield* sendCall(alpha, key(8), {
        to: USDT.address,
        data: encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [depository, USDT.some] })
      })
      const before = yield* held(alpha, USDT, stranger)
      const args = [stranger, USDT.address, USDT.some, orderIdOf(quoted)] as const
      yield* sendCall(alpha, key(8), {
        to: depository,
        data: encodeFunctionData({ abi: depositoryAbi, functionName: "depositErc20", args })
      })
      yield* eventually("it waits", closed(host.url, "unrefundable"), (count) => count === 1)
      const now = yield* status(host.url, quoted)
      // The request continues unchanged.
      assert.deepStrictEqual([now.status, now.refunds[0]?.state], ["waiting", "held"])
      assert.include(
        (yield* get(`${host.url}/requests/${idOf(quoted)}`, { headers: { accept: "text/html" } })).text,
        "held back by UNATTESTED_REFUNDS_USD"
      )
      const mine = (yield* overview(host.url)).refundsHeld.filter(({ requestId }) => requestId === idOf(quoted))
      assert.deepStrictEqual(mine.map(({ depositor }) => depositor), [stranger.toLowerCase()])
      const deposit = mine[0]?.deposit ?? ""
      const doctor = yield* runOperation("doctor", { ...environment, UNATTESTED_REFUNDS_USD: "0" })
      assert.strictEqual(doctor.code, 1)
      assert.match(doctor.out, new RegExp(`refund-held[^]*${deposit}`, "u"))

      // A decision needs a name, and a deposit of that request, so that none is made by accident.
      for (const [named, by] of [[deposit, ""], [`0x${"ab".repeat(32)}`, "ann"], ["0x12", "ann"]] as const) {
        assert.strictEqual(
          (yield* asked(host.url, quoted, { inSpiteOfCap: { deposit: named, by } })).status,
          400,
          `${named} ${by}`
        )
      }
      assert.deepStrictEqual((yield* overview(host.url)).refundsDecided, [])
      const decided = yield* asked(host.url, quoted, { inSpiteOfCap: { deposit, by: "ann" } })
      assert.deepInclude(decided.json(), { deposits: 1, settlements: 0 })
      yield* host.kill("SIGKILL")

      const next = yield* withCap(0)
      // Whatever happened to the first call, a repetition keeps the first decision.
      yield* asked(next.url, quoted, { inSpiteOfCap: { deposit, by: "bob" } })
      yield* eventually("it goes back", status(next.url, quoted), ({ refunds }) => refunds[0]?.state === "paid")
      yield* eventually("it is over", openDeposits(environment), (count) => count === 0)
      const [back] = (yield* status(next.url, quoted)).refunds
      assert.strictEqual(
        `${yield* held(alpha, USDT, stranger)}`,
        `${before - USDT.some + BigInt(back?.refunded ?? "0")}`
      )
      const after = yield* overview(next.url)
      assert.deepStrictEqual([
        after.refundsHeld.filter(({ requestId }) => requestId === idOf(quoted)),
        after.refundsDecided.map(({ by }) => by)
      ], [[], ["ann"]])
      // For all processes of this store, including killed ones.
      yield* eventually(
        "the loss is shown",
        counter(next.url, "unattested_refunds_usd_total", "alpha"),
        (dollars) => dollars >= 75
      )
      yield* next.stop
    }))

  it.effect("is not paid at all with a cap of 0; a refund that the order's options allow needs no cap", () =>
    Effect.gen(function*() {
      const { chains: { alpha, beta }, key } = yield* Running
      const host = yield* withCap(0)
      yield* wrongDeposit(host.url, 2)
      yield* eventually("it waits", closed(host.url, "unrefundable"), (count) => count === 1)
      assert.strictEqual(yield* held(alpha, USDT, fresh(2)), 0n)
      // From the user, and from a stranger: half of the quoted amount cannot be filled.
      for (const [index, sender] of [[3, 3], [4, 5]] as const) {
        const user = privateKeyToAccount(key(index)).address
        const quoted = yield* quote(host.url, nativeRequest(user, alpha, beta, ETH.some, { refundTo: fresh(index) }))
        const refunded = yield* closed(host.url, "refunded")
        const data = quoted.steps[0]?.items[0]?.data
        yield* sendCall(alpha, key(sender), { to: data?.to ?? "0x", data: data?.data ?? "0x", value: ETH.some / 2n })
        yield* eventually("it goes back", closed(host.url, "refunded"), (count) => count === refunded + 1)
      }
      assert.isAbove(Number(yield* balanceOf(alpha, fresh(3))), 0)
      yield* host.stop
    }))

  it.effect("of a deposit whose mint was made impossible is under the cap, too, and such a deposit is never filled", () =>
    Effect.gen(function*() {
      const { chains: { alpha, beta, solver }, key } = yield* Running
      const host = yield* withCap(0)
      const recipient = fresh(60)
      const user: Hex = privateKeyToAccount(key(6)).address
      const ask = quote(host.url, nativeRequest(user, alpha, beta, ETH.some, { recipient, refundTo: fresh(6) }))
      const quoted = yield* ask
      yield* sendPoisoned(alpha, key(6), quoted)
      yield* eventually("it waits", closed(host.url, "unrefundable"), (count) => count === 1)
      assert.deepStrictEqual([
        yield* alarms(host.url, "unmintable-deposit"),
        yield* alarms(host.url, "unattested-refunds-capped")
      ], [1, 1])
      yield* host.stop
      const next = yield* withCap(1_000)
      assert.deepStrictEqual(yield* retry(next.url, quoted), { deposits: 1, settlements: 0 })
      const end = yield* ended(next.url, quoted)
      assert.deepStrictEqual([end.status, end.failReason], ["refund", "UNKNOWN"])
      assert.strictEqual(`${yield* balanceOf(alpha, fresh(6))}`, end.refunds[0]?.refunded)
      assert.deepStrictEqual([yield* balanceOf(beta, recipient), (yield* paymentsOf(beta, solver, quoted)).length], [
        0n,
        0
      ])
      // The user's own next deposit is filled as usual: for another quote, by a separate transaction.
      const other = yield* quote(next.url, nativeRequest(user, alpha, beta, ETH.some, { recipient }))
      const data = other.steps[0]?.items[0]?.data
      yield* sendCall(alpha, key(6), { to: data?.to ?? "0x", data: data?.data ?? "0x", value: ETH.some })
      assert.strictEqual((yield* ended(next.url, other)).status, "success")
      yield* next.stop
    }))
})
