/** What keeps a quote from being a promise that somebody else pays for; a refused one leaves nothing. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import type { KeptAddress } from "../../../ports/store/orders/DepositAddresses.ts"
import { inputs } from "../../../scripts/testing/Tally.ts"
import { ApiKeyId } from "../../domain/api-key/ApiKey.ts"
import { Address } from "../../domain/chain/Address.ts"
import { MicroUsdc } from "../../domain/ledger/MicroUsdc.ts"
import type { QuoteRequest } from "../../domain/quote/request/QuoteRequest.ts"
import { evmAddress } from "../../domain/quote/testing/Chains.ts"
import { holdsUnits } from "../../domain/transfer/payment/CodeUnits.ts"
import type { QuoteFailure } from "./Quoting.ts"
import { alpha, beta, bodyOf, makeWorld } from "./testing/World.ts"
import type { Case } from "./testing/World.ts"

type World = ReturnType<typeof makeWorld>
type Answer = Result.Result<unknown, QuoteFailure>

const codeOf = (answer: Answer): string =>
  Result.isSuccess(answer)
    ? "quoted"
    : answer.failure._tag === "QuoteRefused"
    ? answer.failure.code
    : answer.failure._tag

/** The code of a refusal, of which nothing is stored; "quoted" of what is. */
const asked = async (world: World, answer: Effect.Effect<Answer>) => {
  const code = codeOf(await Effect.runPromise(answer))
  assert.lengthOf(world.stored, code === "quoted" ? 1 : 0)
  return code
}
const quoted = (world: World, body: QuoteRequest) => asked(world, world.quote(body))

const plain: Case = { chain: "beta", from: "USDC", to: "USDC", tradeType: "EXACT_INPUT", own: true, dollars: 100n }
const toNative: Case = { ...plain, to: "ETH" }
const wallet = Address.make(evmAddress("77"))
const key = { id: ApiKeyId.make("key_1"), label: "a sponsor", wallet }
const sponsored = { subsidizeFees: true }
const callOf = (value: bigint) => ({
  txs: [{ to: evmAddress("ca"), value: `${value}`, data: `0x${"ab".repeat(4_096)}` }]
})

describe("calls of a quote", () => {
  it("send at most the fill's amount, to the unit, not the value of the deposit before fees", async () => {
    const first = makeWorld()
    assert.strictEqual(await quoted(first, bodyOf(toNative, callOf(1n))), "quoted")
    const paid = first.stored[0]?.terms.amountOut ?? 0n
    assert.strictEqual(await quoted(makeWorld(), bodyOf(toNative, callOf(paid))), "quoted")
    await fc.assert(
      fc.asyncProperty(fc.bigInt(1n, paid), async (more) => {
        assert.strictEqual(await quoted(makeWorld(), bodyOf(toNative, callOf(paid + more))), "INVALID_EXTRA_TXS")
      }),
      { numRuns: inputs(20, 500), examples: [[1n]] }
    )
  })

  // Ether is 2,500 dollars: these cost 200 dollars to revert, more than the deposit and more than a day's cap.
  const dear = 8n * 10n ** 16n

  it("are covered by the deposit, else by the rest of the day's cap, else refused", async () => {
    const body = bodyOf({ ...plain, dollars: 20n }, callOf(0n))
    assert.strictEqual(await quoted(makeWorld(), body), "quoted")
    assert.strictEqual(await quoted(makeWorld({ callsMost: dear }), body), "AMOUNT_TOO_LOW")
    // A deposit that covers them is taken, whatever was lost today.
    const large = bodyOf({ ...plain, dollars: 1_000n }, callOf(0n))
    assert.strictEqual(await quoted(makeWorld({ callsMost: dear, lost: 10n ** 12n }), large), "quoted")
    // 25 dollars to revert on a deposit of 20: within one sender's share of the cap, for as long as some is left.
    const slightly = { callsMost: 10n ** 16n }
    assert.strictEqual(await quoted(makeWorld(slightly), body), "quoted")
    assert.strictEqual(await quoted(makeWorld({ ...slightly, lost: 10n ** 8n }), body), "AMOUNT_TOO_LOW")
  })
})

describe("the code of a quote's recipient (REFUND-11)", () => {
  /** What the refund may lack: by the order, as shown, and what is stored of it. */
  const boundsOf = async (to: Case, world: World) => {
    assert.strictEqual(await quoted(world, bodyOf(to, {})), "quoted")
    const [stored] = world.stored
    const [input] = stored?.order.inputs ?? []
    const shown = stored?.quote.details.refundCurrency
    const lacks = (input?.payment.amount ?? 0n) - (input?.refunds[0]?.minimumAmount ?? 0n)
    assert.strictEqual(BigInt(shown?.amount ?? 0) - BigInt(shown?.minimumAmount ?? 0), lacks)
    return { lacks, stored: stored?.terms.refundBounds }
  }
  // Ether is 2,500 dollars: this fill costs 4 dollars.
  const fillGas = 16n * 10n ** 14n
  /** Gas of a fill that swaps, as it is priced: its source's, and what is around it. */
  const PRICED = 100_000n + 250_000n

  it("lowers the refund's minimum by three times the fill's gas where the fill runs it, also code that may come later, and nothing where it runs none", async () => {
    const token = await boundsOf(plain, makeWorld({ fillGas, hasCode: true }))
    assert.isUndefined(token.stored)
    for (const hasCode of [true, false]) {
      const of = await boundsOf(toNative, makeWorld({ fillGas, hasCode }))
      assert.deepStrictEqual(of.stored, { gas: token.lacks, calls: 12_000_000n })
      assert.strictEqual(of.lacks, token.lacks + 12_000_000n)
    }
  })

  it("is not needed where the recipient can make the fill fail: the bound is the same, and nobody is refused for it (REFUND-16)", async () => {
    const { lacks } = await boundsOf(plain, makeWorld({ fillGas }))
    const of = await boundsOf(plain, makeWorld({ fillGas, canFail: true }))
    assert.deepStrictEqual(of, { lacks: lacks + 12_000_000n, stored: { gas: lacks, calls: 12_000_000n } })
    const small = bodyOf({ ...plain, dollars: 8n }, {})
    assert.strictEqual(await quoted(makeWorld({ fillGas, canFail: true, lost: 10n ** 12n }), small), "quoted")
  })

  it("lowers it as much for a fill that swaps, whose price holds twice the gas of its source and of what is around it (REFUND-13, PRICE-26)", async () => {
    for (const hasCode of [true, false]) {
      const world = makeWorld({ fillGas, hasCode })
      const of = await boundsOf({ ...plain, to: "GEM" }, world)
      assert.strictEqual(of.stored?.calls, 12_000_000n)
      assert.strictEqual(of.lacks, (of.stored?.gas ?? 0n) + 12_000_000n)
      const units = world.stored[0]?.terms.codeUnits ?? 0n
      assert.deepStrictEqual([holdsUnits(units, 2n * PRICED), holdsUnits(units, 2n * PRICED + 1n)], [true, false])
    }
  })

  it("holds of calls after a swap what they took in a trial, and a quarter: twice is for the swap's own part (PRICE-26)", async () => {
    const held = async (units: bigint) => {
      const world = makeWorld({ fillGas, units })
      assert.strictEqual(await quoted(world, bodyOf({ ...plain, to: "GEM" }, callOf(0n))), "quoted")
      return world.stored[0]?.terms.codeUnits ?? 0n
    }
    const calls = 4_000_000n
    const most = 2n * PRICED + calls * 5n / 4n
    const units = await held(PRICED + calls)
    assert.deepStrictEqual([holdsUnits(units, most), holdsUnits(units, most + 1n)], [true, false])
    // A swap that took less than it is counted with has twice of that.
    const small = await held(PRICED / 2n)
    assert.deepStrictEqual([holdsUnits(small, PRICED), holdsUnits(small, PRICED + 1n)], [true, false])
  })

  it("is covered by the deposit whatever was lost today, else by the rest of the day's cap, else refused", async () => {
    const lost = 10n ** 8n
    const spent = { fillGas, hasCode: true, lost }
    assert.strictEqual(await quoted(makeWorld(spent), bodyOf(toNative, {})), "quoted")
    const small = bodyOf({ ...toNative, dollars: 8n }, {})
    assert.strictEqual(await quoted(makeWorld({ ...spent, lost: 0n }), small), "quoted")
    assert.strictEqual(await quoted(makeWorld({ fillGas, lost }), small), "quoted")
    const refused = await Effect.runPromise(makeWorld(spent).quote(small))
    assert.isTrue(
      Result.isFailure(refused) && refused.failure._tag === "QuoteRefused" &&
        refused.failure.code === "AMOUNT_TOO_LOW" && refused.failure.message.includes("name a recipient without code")
    )
  })
})

describe("a chain whose configuration is contradicted", () => {
  it("is quoted neither as origin, nor as destination, nor as the chain of the sponsor's balance", async () => {
    for (const chain of ["alpha", "beta"] as const) {
      for (const disabled of [alpha, beta]) {
        const world = makeWorld({ disabled: disabled.id })
        const isUsed = disabled === alpha || chain === "beta"
        assert.strictEqual(
          await quoted(world, bodyOf({ ...plain, to: "USDT", chain })),
          isUsed ? "CHAIN_DISABLED" : "quoted"
        )
      }
    }
    // The balance is on alpha.
    const home = { originChainId: beta.id, originCurrency: beta.native.address, amount: `${10n ** 17n}` }
    const within = bodyOf(toNative, {
      ...home,
      destinationCurrency: bodyOf(plain).destinationCurrency,
      tradeType: "EXPECTED_OUTPUT",
      amount: "100000000"
    })
    for (const [more, code] of [[{}, "quoted"], [sponsored, "CHAIN_DISABLED"]] as const) {
      const world = makeWorld({ disabled: alpha.id })
      assert.strictEqual(await asked(world, world.quote({ ...within, ...more }, key)), code)
    }
  })
})

describe("a sponsored quote", () => {
  const ask = (world: World, more: object = {}, by: typeof key | Omit<typeof key, "wallet"> | undefined = key) =>
    asked(world, world.quote(bodyOf(plain, { ...sponsored, ...more }), by))

  it("needs a key, a wallet, its balance and its budget, in this order", async () => {
    assert.strictEqual(await ask(makeWorld()), "quoted")
    const poor = { balance: 0n, budget: 0n }
    const { wallet: _, ...unlinked } = key
    const world = makeWorld(poor)
    assert.strictEqual(await asked(world, world.quote(bodyOf(plain, sponsored))), "UNAUTHORIZED")
    // That is said before it is priced: whoever has no key learns nothing of the inventory.
    const empty = makeWorld({ held: 0n })
    assert.strictEqual(await asked(empty, empty.quote(bodyOf(plain, sponsored))), "UNAUTHORIZED")
    assert.strictEqual(await ask(makeWorld(poor), {}, unlinked), "SPONSOR_WALLET_NOT_LINKED")
    assert.strictEqual(await ask(makeWorld(poor)), "INSUFFICIENT_APP_BALANCE")
    assert.strictEqual(await ask(makeWorld({ budget: 0n })), "SPONSOR_BUDGET_EXCEEDED")
  })

  it("keeps the payer and the cap that were agreed; the user gets the rest", async () => {
    const [own, paid] = [makeWorld(), makeWorld()]
    assert.strictEqual(await quoted(own, bodyOf(plain)), "quoted")
    assert.strictEqual(await ask(paid, { maxSubsidizationAmount: "5000000" }), "quoted")
    assert.isUndefined(own.stored[0]?.terms.sponsorship)
    assert.deepInclude(paid.stored[0]?.terms.sponsorship, { wallet, cap: MicroUsdc(5_000_000n) })
    assert.isTrue((paid.stored[0]?.terms.amountOut ?? 0n) > (own.stored[0]?.terms.amountOut ?? 0n))
  })
})

describe("the quote of a later deposit", () => {
  const open = { useDepositAddress: true, refundTo: evmAddress("33") }
  const kept = async () => {
    const world = makeWorld()
    assert.strictEqual(await quoted(world, bodyOf(plain, open)), "quoted")
    const [transfer] = world.stored
    const address = transfer?.terms.depositAddress?.address
    if (transfer === undefined || address === undefined) return assert.fail("no address")
    return {
      chainId: alpha.id,
      address,
      mode: "open",
      requestId: transfer.id,
      orderId: transfer.orderId,
      depositor: Address.make(evmAddress("de")),
      factory: undefined,
      currency: bodyOf(plain).originCurrency,
      refundTo: Address.make(evmAddress("33")),
      apiKeyId: undefined,
      createdAt: 0
    } as KeptAddress
  }

  it("is a separate order at the same address, and its calldata is not counted again", async () => {
    const at = await kept()
    const world = makeWorld()
    assert.strictEqual(await asked(world, world.quoteLater(at, bodyOf(plain, { ...open, ...callOf(0n) }))), "quoted")
    const [transfer] = world.stored
    assert.strictEqual(transfer?.terms.depositAddress?.address, at.address)
    assert.notStrictEqual(transfer?.orderId, at.orderId)
    assert.deepStrictEqual(world.log, ["stored"])
    const again = makeWorld()
    assert.strictEqual(await quoted(again, bodyOf(plain, { ...open, ...callOf(0n) })), "quoted")
    assert.deepStrictEqual(again.log, ["calldata", "stored"])
  })

  it("is refused above its cap, where a first quote makes the user pay", async () => {
    const at = await kept()
    const above = bodyOf(plain, { ...open, ...sponsored, maxSubsidizationAmount: "1" })
    const [first, later, within] = [makeWorld(), makeWorld(), makeWorld()]
    assert.strictEqual(await asked(first, first.quote(above, key)), "quoted")
    assert.strictEqual(await asked(later, later.quoteLater(at, above, key)), "SPONSOR_BUDGET_EXCEEDED")
    const enough = bodyOf(plain, { ...open, ...sponsored, maxSubsidizationAmount: "5000000" })
    assert.strictEqual(await asked(within, within.quoteLater(at, enough, key)), "quoted")
  })
})
