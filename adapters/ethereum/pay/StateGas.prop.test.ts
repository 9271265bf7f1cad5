/**
 * Bounds on the gas of payments where new state costs gas (PRICE-29). Nodes are scripted. What our contracts take with the
 * fork was measured by running them in @ethereumjs/vm 10.1.3 (Amsterdam): the least gas limit with which each succeeds.
 */
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { createPublicClient, custom, numberToHex, RpcRequestError } from "viem"
import type { Hex } from "viem"
import type { FillPayment, Payment } from "../../../ports/chain/PaymentKinds.ts"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { Hex as DomainHex } from "../../../src/domain/encoding/Hex.ts"
import type { Currency } from "../../../src/domain/money/Currency.ts"
import { OrderId } from "../../../src/domain/order/Order.ts"
import { alpha, evmAddress } from "../../../src/domain/quote/testing/Chains.ts"
import { estimatePayment } from "./EstimatePayment.ts"
import { paymentBody } from "./PaymentTransaction.ts"
import { gasPerByte, perByteOf, STORING } from "./StateGas.ts"

const SOLVER: Hex = `0x${"50".repeat(20)}`
const BEFORE = 22_100n
const FORKED = 110_020n

/** A node that estimates this much. `store`: what a store into an empty slot takes; undefined for nodes that refuse to say. */
interface Node {
  readonly gas: bigint
  readonly store: bigint | undefined
  readonly code?: Hex
  readonly held?: bigint
}

const clientOf = ({ code = "0x", gas, held = 0n, store }: Node) => {
  const asked: Array<string> = []
  const answer = (method: string, params: unknown): unknown => {
    switch (method) {
      case "eth_getBlockByNumber":
        return { number: "0x1", gasLimit: numberToHex(60_000_000), baseFeePerGas: "0x1", transactions: [] }
      case "eth_maxPriorityFeePerGas":
        return "0x1"
      case "eth_estimateGas":
        return numberToHex(gas)
      case "eth_getBalance":
        return numberToHex(10n ** 18n)
      case "eth_getCode":
        return code
      case "eth_call": {
        const text = JSON.stringify(params)
        if (text.includes(STORING)) asked.push("store")
        else return numberToHex(text.includes("7e".repeat(20)) ? held : 10n ** 18n, { size: 32 })
        if (store !== undefined) return numberToHex(store + 8n, { size: 32 })
        const error = { code: -32_000, message: "no such call" }
        throw new RpcRequestError({ body: {}, url: "", error })
      }
      default:
        throw new Error(`${method} was asked`)
    }
  }
  const client = createPublicClient({
    transport: custom({
      request: ({ method, params }: { readonly method: string; readonly params: unknown }) =>
        Promise.resolve().then(() => answer(method, params))
    }, { retryCount: 0 })
  })
  return { client, asked }
}

const ORDER = OrderId.make(`0x${"0d".repeat(32)}`)
const RECIPIENT = evmAddress("7e")
const usdc: Currency = alpha.currencies[1] ?? alpha.native

const fillOf = (currency: Currency, changes: Partial<FillPayment> = {}): FillPayment => ({
  _tag: "Fill",
  chain: alpha,
  currency,
  recipient: RECIPIENT,
  orderId: ORDER,
  amount: 1n,
  topup: 0n,
  calls: undefined,
  authorizations: [],
  ...changes
})

const callsOf = (gas: bigint): FillPayment["calls"] => ({
  list: [{ to: evmAddress("ca"), data: DomainHex.make("0x"), value: 0n }],
  gas,
  leftover: undefined
})

const permitOf = (kind: "eip2612" | "eip3009" | "permit2"): Payment => ({
  _tag: "Permit",
  chain: alpha,
  currency: usdc,
  recipient: evmAddress("f0"),
  orderId: ORDER,
  amount: 0n,
  permit: {
    kind,
    forwarder: evmAddress("f0"),
    owner: evmAddress("0e"),
    token: evmAddress("a1"),
    amount: 1n,
    orderId: ORDER,
    deadline: 4_000_000_000,
    signature: DomainHex.make(`0x${"11".repeat(32)}${"12".repeat(32)}1b`),
    gasOverhead: 0n
  }
})

const estimate = async (payment: Payment, node: Node) => {
  const body = paymentBody(payment)
  if (body === undefined) throw new Error("no such transaction")
  const { asked, client } = clientOf(node)
  const { gas, state } = await estimatePayment(client, SOLVER, body, payment)
  return { gas: typeof gas === "bigint" ? gas : undefined, state, asked }
}

/** What each takes before the fork and with it. */
const MEASURED: ReadonlyArray<readonly [string, Payment, bigint, bigint]> = [
  ["native currency to a new account", fillOf(alpha.native), 22_280n, 205_112n],
  ["a holder's first token", fillOf(usdc), 52_110n, 141_330n],
  ["a token and a topup to a new account", fillOf(usdc, { topup: 1n }), 136_303n, 480_603n],
  [
    "calls, with native currency left for a new account",
    fillOf(alpha.native, { calls: callsOf(30_000n) }),
    187_501n,
    672_294n
  ],
  ["calls, with a token left for a new holder", fillOf(usdc, { calls: callsOf(30_000n) }), 223_775n, 610_435n],
  ["a permit by EIP-3009", permitOf("eip3009"), 134_504n, 407_964n],
  ["a permit by Permit2", permitOf("permit2"), 145_457n, 427_317n],
  ["a permit by EIP-2612", permitOf("eip2612"), 198_154n, 653_150n]
]

const store = fc.oneof(fc.bigInt({ min: 0n, max: 400_000n }), fc.bigInt({ min: 0n, max: 1n << 255n }))

describe("gas for new state", () => {
  it("costs nothing where a store takes what it always took, and never more than twice the fork's", () =>
    fc.assert(
      fc.property(store, (taken) => {
        const perByte = perByteOf(taken)
        assert.strictEqual(perByte === 0n, taken <= BEFORE)
        assert.isTrue(perByte <= 3_060n)
        // Never less than the state takes.
        if (taken > BEFORE && perByte < 3_060n) assert.isTrue(perByte * 64n + 12_100n >= taken)
      }),
      { numRuns: inputs(2_000, 20_000) }
    ))

  it("is 1,530 a byte with the fork, and none where nodes refuse to say", async () => {
    assert.strictEqual(perByteOf(FORKED), 1_530n)
    assert.strictEqual(await gasPerByte(clientOf({ gas: 0n, store: undefined }).client), 0n)
    assert.strictEqual(await gasPerByte(clientOf({ gas: 0n, store: BEFORE }).client), 0n)
  })

  for (const [what, payment, before, after] of MEASURED) {
    it(`lets ${what} be made with the fork as before it, and for three times that refuses it`, async () => {
      for (const [gas, store] of [[before, BEFORE], [after, FORKED]] as const) {
        const made = await estimate(payment, { gas, store })
        assert.isTrue((made.gas ?? 0n) >= (gas * 12n) / 10n, `${made.gas} for ${gas}`)
      }
      assert.isUndefined((await estimate(payment, { gas: 3n * after, store: FORKED })).gas)
    })
  }

  it("changes no payment on a chain without the fork, and asks nothing for a plain one", () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...MEASURED.map(([, payment]) => payment)),
        fc.bigInt({ min: 21_000n, max: 1_000_000n }),
        fc.bigInt({ min: 0n, max: BEFORE }),
        async (payment, gas, below) => {
          const [told, refused] = [
            await estimate(payment, { gas, store: below }),
            await estimate(payment, { gas, store: undefined })
          ]
          assert.deepStrictEqual([told.gas, told.state], [refused.gas, 0n])
          const plain = payment._tag === "Fill" && payment.topup === 0n && payment.calls === undefined
          if (plain) assert.strictEqual(told.gas, (gas * 12n) / 10n > 150_000n ? undefined : (gas * 12n) / 10n)
          if (plain && told.gas !== undefined) assert.notInclude(told.asked, "store")
        }
      ),
      { numRuns: inputs(300, 3_000) }
    ))

  it("lets a recipient's code, and a holder's token, take no more with the fork than without it", () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom(fillOf(alpha.native), fillOf(usdc)),
        fc.bigInt({ min: 21_000n, max: 1_000_000n }),
        store,
        async (payment, gas, store) => {
          const there = { gas, code: "0x00", held: 1n } as const
          const [with_, without] = [
            await estimate(payment, { ...there, store }),
            await estimate(payment, { ...there, store: BEFORE })
          ]
          assert.deepStrictEqual([with_.gas, with_.state], [without.gas, 0n])
        }
      ),
      { numRuns: inputs(300, 3_000) }
    ))

  it("lets calls take what their request allows and no more: the rest of the limit is for the state around them", () =>
    fc.assert(
      fc.asyncProperty(fc.bigInt({ min: 21_000n, max: 600_000n }), async (allowed) => {
        const payment = fillOf(alpha.native, { calls: callsOf(allowed) })
        const [made, before] = [
          await estimate(payment, { gas: 400_000n, store: FORKED }),
          await estimate(payment, { gas: 130_000n, store: BEFORE })
        ]
        assert.strictEqual(before.gas, 600_000n + allowed)
        assert.strictEqual((made.gas ?? 0n) - made.state, before.gas)
        assert.strictEqual(made.state, ((64n + 165n) * 1_530n * 12n) / 10n)
      }),
      { numRuns: inputs(50, 500) }
    ))
})
