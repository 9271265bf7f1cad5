/** A quote is a promise: it is stored before it is answered, and says the same in its order, its steps and its row. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { inputs } from "../../../scripts/testing/Tally.ts"
import type { DepositWay } from "../../../ports/chain/StepBuilder.ts"
import { findChainBySlug } from "../../domain/chain/Chain.ts"
import type { ChainSlug } from "../../domain/chain/ChainId.ts"
import { orderId } from "../../domain/order/OrderId.ts"
import type { QuoteRequest } from "../../domain/quote/request/QuoteRequest.ts"
import { evmAddress } from "../../domain/quote/testing/Chains.ts"
import { Quote } from "../../domain/quote/wire/Quote.ts"
import { quoteText } from "../../domain/quote/wire/QuoteText.ts"
import { chains } from "./testing/Market.ts"
import { bodyOf, makeWorld, STORE_DOWN } from "./testing/World.ts"
import type { Case } from "./testing/World.ts"

const symbols = fc.constantFrom("USDC", "USDT", "ETH", "GEM")
const cases = fc.record<Case>({
  chain: fc.constantFrom("alpha", "beta"),
  from: symbols,
  to: symbols,
  tradeType: fc.constantFrom("EXACT_INPUT", "EXPECTED_OUTPUT", "EXACT_OUTPUT"),
  own: fc.constantFrom(true, false, false, false),
  dollars: fc.bigInt(1n, 20_000n)
})

/** How a case's deposit has to be made, said from the case alone. */
const expectedWay = ({ chain, from, to, tradeType }: Case): DepositWay["_tag"] => {
  if (chain === "alpha" && from === to) return "Send"
  if (chain === "alpha" && tradeType !== "EXPECTED_OUTPUT") return "Swap"
  return from === "GEM" ? "SwapDeposit" : "Depository"
}

const run = (world: ReturnType<typeof makeWorld>, body: QuoteRequest) => Effect.runPromise(world.quote(body))

const familyOf = (slug: ChainSlug) => findChainBySlug(chains, slug)?.family

const encodeStrictly = Schema.encodeUnknownSync(Schema.toCodecJson(Quote), { onExcessProperty: "error" })

/** The row, the order, its id, the signature, the steps and the answer all say one thing. */
const assertOne = ({ named, stored }: ReturnType<typeof makeWorld>, quote: Quote) => {
  assert.lengthOf(stored, 1)
  const [transfer] = stored
  if (transfer === undefined) return assert.fail("nothing is stored")
  const id = Result.getOrThrow(orderId(transfer.order, familyOf))
  assert.deepStrictEqual(transfer.quote, quote)
  assert.deepStrictEqual(JSON.parse(quoteText(quote)), encodeStrictly(quote))
  assert.deepStrictEqual([transfer.orderId, transfer.orderSignature], [id, `signed ${id}`])
  assert.deepStrictEqual(named.map((it) => it.orderId), [id])
  assert.strictEqual(quote.protocol?.v2.orderId, id)
  const { inputs: [input], output: { payments: [payment] } } = transfer.order
  const { amountIn, amountOut, minimumOut, originSwap } = transfer.terms
  assert.strictEqual(payment?.expectedAmount, amountOut)
  assert.isTrue(payment !== undefined && payment.minimumAmount <= minimumOut && minimumOut <= amountOut)
  assert.strictEqual(input?.payment.amount, originSwap?.minimum ?? amountIn)
  assert.strictEqual(quote.protocol?.v2.paymentDetails.amount, `${input?.payment.amount}`)
}

describe("a quote", () => {
  const plain: Case = { chain: "beta", from: "USDC", to: "USDC", tradeType: "EXACT_INPUT", own: true, dollars: 100n }

  it("is stored before it is answered, and row, order, steps and answer agree; a refused one leaves nothing", async () => {
    /** How the deposit of a quote is made; undefined of a quote that is refused. */
    const made = async (given: Case) => {
      const world = makeWorld()
      const found = await run(world, bodyOf(given))
      if (Result.isFailure(found)) {
        assert.strictEqual(found.failure._tag, "QuoteRefused")
        assert.deepStrictEqual([world.stored, world.log], [[], []])
        return undefined
      }
      const way = expectedWay(given)
      assert.deepStrictEqual(world.ways.map(({ _tag }) => _tag), [way])
      assertOne(world, found.success)
      // The user's own payment is looked for from before anybody knew its id.
      assert.deepStrictEqual(
        world.log,
        way === "Send" || way === "Swap" ? ["head", "stored with its scan"] : ["stored"]
      )
      const [terms] = world.stored.map((transfer) => transfer.terms)
      assert.strictEqual(terms?.send === true, way === "Send")
      assert.strictEqual(terms?.userSwap !== undefined, way === "Swap")
      assert.strictEqual(terms?.originSwap !== undefined, way === "SwapDeposit")
      assert.strictEqual(
        terms?.destinationSwap !== undefined,
        given.to === "GEM" && way !== "Send" && way !== "Swap"
      )
      return way
    }
    assert.strictEqual(await made({ ...plain, chain: "alpha", own: false }), "Send")
    assert.strictEqual(await made({ ...plain, chain: "alpha", from: "GEM" }), "Swap")
    assert.strictEqual(await made({ ...plain, from: "GEM" }), "SwapDeposit")
    assert.strictEqual(await made(plain), "Depository")
    await fc.assert(fc.asyncProperty(cases, async (given) => void (await made(given))), { numRuns: inputs(200, 3_000) })
  })

  it("exists only once each served chain is scanned, also those that it does not name (QUOTE-9)", async () => {
    const world = makeWorld({ isScanned: false })
    Result.getOrThrow(await run(world, bodyOf({ ...plain, chain: "alpha", from: "USDC", to: "ETH" })))
    assert.deepStrictEqual(world.log.filter((line) => line !== "head"), [
      `scans of ${chains[0].id}`,
      `scans of ${chains[1].id}`,
      "stored with its scan"
    ])
  })

  it("is not answered when it cannot be stored", async () => {
    const world = makeWorld({ store: "down" })
    assert.deepStrictEqual(await run(world, bodyOf(plain)), Result.fail(STORE_DOWN))
    // Nor is the user's own payment looked for.
    assert.isTrue(Result.isFailure(await run(world, bodyOf({ ...plain, chain: "alpha", own: false }))))
    assert.deepStrictEqual(world.log, ["head"])
  })

  it("promises only inventory that the solver has, to the unit", async () => {
    const rich = makeWorld()
    Result.getOrThrow(await run(rich, bodyOf(plain)))
    const amountOut = rich.stored[0]?.terms.amountOut ?? 0n
    assert.isTrue(Result.isSuccess(await run(makeWorld({ held: amountOut }), bodyOf(plain))))
    const poor = makeWorld({ held: amountOut - 1n })
    const refused = await run(poor, bodyOf(plain))
    assert.isTrue(
      Result.isFailure(refused) && refused.failure._tag === "QuoteRefused" &&
        refused.failure.code === "INSUFFICIENT_LIQUIDITY"
    )
    assert.lengthOf(poor.stored, 0)
    // What users carry out alone takes nothing of it.
    assert.isTrue(
      Result.isSuccess(await run(makeWorld({ held: 0n }), bodyOf({ ...plain, chain: "alpha", own: false })))
    )
  })

  it("uses the requested kind of deposit: a bare transfer, or an address that the order determines", async () => {
    const bare = makeWorld()
    Result.getOrThrow(await run(bare, bodyOf(plain, { explicitDeposit: false })))
    assert.deepStrictEqual(bare.ways.map(({ _tag }) => _tag), ["Transfer"])
    const addresses = new Set<string | undefined>()
    for (const _ of [1, 2]) {
      const world = makeWorld()
      Result.getOrThrow(await run(world, bodyOf(plain, { useDepositAddress: true, refundTo: evmAddress("33") })))
      assert.deepStrictEqual(world.ways.map(({ _tag }) => _tag), ["Address"])
      assert.strictEqual(world.stored[0]?.terms.depositAddress?.address, world.named[0]?.depositAddress)
      addresses.add(world.named[0]?.depositAddress)
    }
    assert.strictEqual(addresses.size, 2)
  })

  it("has an order that the transactions of its chains can name: another salt is drawn for any other", async () => {
    let drawn = 0
    const ids = await Promise.all(Array.from({ length: 8 }, async () => {
      const world = makeWorld({
        canName: (id) => {
          drawn += 1
          return /[02468ace]$/.test(id)
        }
      })
      Result.getOrThrow(await run(world, bodyOf(plain)))
      const [transfer] = world.stored
      assert.strictEqual(transfer?.orderSignature, `signed ${transfer?.orderId}`)
      return `${transfer?.orderId}`
    }))
    for (const id of ids) assert.match(id, /[02468ace]$/)
    // Each is asked about for both chains.
    assert.isAtLeast(drawn, 16)
  })

  it("is refused where its token supports no permit, and leaves nothing", async () => {
    const world = makeWorld()
    assert.isTrue(Result.isFailure(await run(world, bodyOf(plain, { usePermit: true }))))
    assert.deepStrictEqual([world.stored, world.log], [[], []])
  })
})
