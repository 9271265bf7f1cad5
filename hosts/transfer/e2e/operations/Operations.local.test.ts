import { assert, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { privateKeyToAccount } from "viem/accounts"
import { OverviewRow, AccountsRow } from "../../endpoints/operations/OperationsApi.ts"
import { fixtureOf } from "../../../../scripts/testing/FixtureOf.ts"
import { begin } from "../crash/testing/Scenarios.ts"
import { ended, nativeRequest, quote, sendDeposit, status } from "../../testing/Client.ts"
import { get } from "../../testing/Get.ts"
import { alarms, closed, eventually, paymentsOf, startMisbehaving } from "../../testing/Misbehaving.ts"

const ADMIN_TOKEN = "an admin token of at least 32 characters"
const admin = { headers: { authorization: `Bearer ${ADMIN_TOKEN}` } }

class Network extends fixtureOf<Network>()("test/OperationsNetwork", startMisbehaving) {}

const today = () => new Date().toISOString().slice(0, 10)

layer(Network.layer, { excludeTestServices: true })("the operator's routes", (it) => {
  it.effect("show inventory, exposure and consistent accounts, and restart a request without paying it twice", () =>
    Effect.scoped(Effect.gen(function*() {
      const { betaNode, chains, startInstance } = yield* Network
      const { alpha, beta, solver, users: [first = "0x", second = "0x", third = "0x"] } = chains
      const { url } = yield* startInstance({ ADMIN_TOKEN })
      const overview = Effect.map(get(`${url}/admin/overview`, admin), ({ json, text }) => {
        assert.doesNotThrow(json, text)
        return Schema.decodeUnknownSync(OverviewRow)(json())
      })
      const fill = yield* begin(url, chains, first, "fill", 1)
      yield* sendDeposit(alpha, first, fill.quoted)
      const refund = yield* begin(url, chains, second, "refund", 2)
      yield* sendDeposit(alpha, second, refund.quoted)
      for (const { quoted } of [fill, refund]) yield* ended(url, quoted)
      yield* eventually(
        "both are closed",
        Effect.zip(closed(url, "filled"), closed(url, "refunded")),
        ([one, other]) => one + other === 2
      )

      const seen = yield* overview
      const ether = seen.inventory.find(({ chain, holding, symbol }) =>
        chain === "beta" && symbol === "ETH" && holding === "account"
      )
      assert.isAbove(Number(ether?.amount), 10 ** 20)
      assert.deepInclude(ether, { promised: "0", lowWater: `${10n ** 19n}`, low: false })
      assert.deepInclude(seen, { stuck: [], unended: 0, held: [] })

      const accounts = yield* get(`${url}/admin/profit-and-loss?from=${today()}&to=${today()}`, admin)
      assert.strictEqual(accounts.status, 200, accounts.text)
      const { days: [day], total } = Schema.decodeUnknownSync(AccountsRow)(accounts.json())
      const [onAlpha, onBeta] = day?.lines ?? []
      assert.deepStrictEqual(total.lines, day?.lines)
      assert.strictEqual(onAlpha?.received.units, `${2n * 10n ** 16n}`)
      const refunded = (yield* status(url, refund.quoted)).refunds[0]?.refunded
      assert.strictEqual(onAlpha?.paidOut.units, refunded)
      assert.strictEqual(onAlpha?.appFees.units, `${30n * 10n ** 12n}`)
      assert.strictEqual(onBeta?.paidOut.units, fill.quoted.details.currencyOut.amount)
      const gas = (yield* paymentsOf(beta, solver, fill.quoted))[0]
      assert.isAbove(Number(onBeta?.gas.units), Number(gas?.gas ?? 0n))
      for (const line of day?.lines ?? []) {
        for (const sum of [line.received, line.paidOut, line.gas, line.appFees]) assert.strictEqual(sum.unpriced, 0)
      }
      // The quote's fees were more than the gas that they pay for.
      assert.isAbove(Number(day?.profitUsd), 0)

      // The chain refuses a payment. The operator retries twice, and it is made once.
      betaNode.lie(({ method }, truth) =>
        method === "eth_sendRawTransaction" ? Promise.resolve({ error: { code: -32000, message: "not now" } }) : truth()
      )
      const slow = yield* quote(url, nativeRequest(privateKeyToAccount(third).address, alpha, beta, 10n ** 16n))
      yield* sendDeposit(alpha, third, slow)
      yield* eventually("it is being paid", status(url, slow), (now) => now.status === "pending")
      const id = slow.steps[0]?.requestId ?? ""
      const retry = (of: string, init: RequestInit = admin) =>
        get(`${url}/admin/requests/${of}/retry`, { method: "POST", ...init })
      assert.deepStrictEqual((yield* retry(id)).json(), { deposits: 1, settlements: 0 })
      assert.deepStrictEqual((yield* retry(id)).json(), { deposits: 1, settlements: 0 })
      assert.deepInclude(yield* overview, { unended: 1 })
      // Until the worker has picked it up: two fillings of one deposit run.
      yield* Effect.sleep("2 seconds")
      betaNode.tellTheTruth()
      assert.strictEqual((yield* ended(url, slow)).status, "success")
      yield* eventually("the new filling has ended too", closed(url, "filled"), (count) => count >= 3)
      assert.lengthOf(yield* paymentsOf(beta, solver, slow), 1)
      assert.strictEqual((yield* retry(`0x${"ab".repeat(32)}`)).status, 404)
      assert.strictEqual((yield* retry(id, {})).status, 401)
      const asked = (from: string, to: string) => get(`${url}/admin/profit-and-loss?from=${from}&to=${to}`, admin)
      for (
        const [from, to] of [["2026-02-30", "2026-03-01"], ["2026-03-02", "2026-03-01"], [
          "2027-01-01",
          "2028-01-02"
        ]] as const
      ) {
        const refused = yield* asked(from, to)
        assert.strictEqual(refused.status, 400)
        assert.include(refused.text, "from")
      }
      assert.strictEqual((yield* asked("2027-01-01", "2028-01-01")).status, 200)
      assert.strictEqual((yield* get(`${url}/admin/overview`)).status, 401)
      assert.strictEqual(yield* alarms(url, "inventory-low"), 0)
    })))

  it.effect("do not exist without ADMIN_TOKEN; an inventory below its low-water mark is reported in any case, once", () =>
    Effect.scoped(Effect.gen(function*() {
      const { chains: { alpha, solver }, startInstance } = yield* Network
      yield* alpha.request("anvil_setBalance", [solver, `0x${(9n * 10n ** 18n).toString(16)}`])
      const { output, url } = yield* startInstance()
      yield* eventually("it is counted", alarms(url, "inventory-low"), (count) => count === 1)
      const metrics = yield* get(`${url}/metrics`)
      const gauge = (chain: string) =>
        metrics.text.split("\n").find((line) =>
          line.startsWith("causeway_inventory_low{") && line.includes(`"${chain}"`)
        )
      assert.match(gauge("alpha") ?? "", / 1$/)
      assert.match(gauge("beta") ?? "", / 0$/)
      assert.lengthOf(
        output().split("\n").filter((line) =>
          line.includes("ETH of the solver's account on alpha is low: 9.0 is there, the mark is 10.0")
        ),
        1
      )
      for (const path of ["/admin/overview", `/admin/profit-and-loss?from=${today()}&to=${today()}`]) {
        assert.strictEqual((yield* get(`${url}${path}`, admin)).status, 404)
      }
    })))
})
