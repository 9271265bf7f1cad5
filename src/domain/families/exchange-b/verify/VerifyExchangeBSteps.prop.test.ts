/** What a client accepts of an exchange B origin's steps: exactly the order's transfer, nothing that differs. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { inputs } from "../../../../../scripts/testing/Tally.ts"
import { withAnotherLeaf } from "../../../../../property-tests/EvidenceDamage.ts"
import { OrderId } from "../../../order/Order.ts"
import { QuoteRequest } from "../../../quote/request/QuoteRequest.ts"
import { resolveRequest } from "../../../quote/request/ResolveRequest.ts"
import { alpha, evmAddress, exchangeB, exchangeBToken } from "../../../quote/testing/Chains.ts"
import { Step } from "../../../quote/wire/Step.ts"
import { exchangeBSteps } from "./VerifyExchangeBSteps.ts"

const order = OrderId.make(`0x${"5a".repeat(32)}`)

const RECIPIENT = 4_321

/** A send to another account of the exchange. */
const sending = {
  recipient: `${RECIPIENT}`,
  destinationChainId: exchangeB.id,
  destinationCurrency: exchangeB.native.address
}

const requestFor = (currency: string, changes: object = {}) => {
  const body = Schema.decodeUnknownSync(QuoteRequest)({
    user: "1234",
    recipient: evmAddress("22"),
    originChainId: exchangeB.id,
    destinationChainId: alpha.id,
    originCurrency: currency,
    destinationCurrency: alpha.native.address,
    amount: "250000000",
    tradeType: "EXACT_INPUT",
    ...changes
  })
  return Result.getOrThrow(resolveRequest(body, [alpha, exchangeB]))
}

/** As the specification writes it. */
const written = (assetIndex: number, route: number, usdcFee = 3_000_000, payee = Number(exchangeB.depository)) => ({
  id: payee === RECIPIENT ? "send" : "deposit",
  kind: "transaction",
  action: "Confirm",
  description: "Confirm",
  requestId: `0x${"0a".repeat(32)}`,
  items: [{
    status: "incomplete",
    data: {
      action: {
        type: "transfer",
        parameters: {
          toAccountIndex: payee,
          assetIndex,
          fromRouteType: route,
          toRouteType: route,
          amount: 250_000_000,
          usdcFee,
          memo: order
        }
      }
    }
  }]
})

const decode = Schema.decodeUnknownResult(Schema.Array(Step))

/** The names of the checks that failed, or "undecodable". */
const failed = (
  steps: unknown,
  currency: string = exchangeB.native.address,
  changes: object = {}
): ReadonlyArray<string> => {
  const decoded = decode(steps)
  if (Result.isFailure(decoded)) return ["undecodable"]
  const expected = { request: requestFor(currency, changes), orderId: order, amount: 250_000_000n, least: 0n }
  return exchangeBSteps.steps(decoded.success, { ...expected, explicitDeposit: true })
    .filter(({ outcome }) => outcome !== "ok").map(({ name }) => name)
}

describe("the steps of an exchange B origin", () => {
  it("are accepted as the specification writes them, on perps and on spot, with any fee within the bound", () => {
    for (const fee of [0, 3_000_000, 10_000_000]) assert.deepStrictEqual(failed([written(3, 0, fee)]), [])
    assert.deepStrictEqual(failed([written(1, 1)], exchangeBToken.address), [])
    for (const fee of [-1, 10_000_001]) assert.isNotEmpty(failed([written(3, 0, fee)]))
  })

  it("of a send pay the recipient, and of a deposit the depository: neither is accepted as the other", () => {
    const [deposit, send] = [written(3, 0), written(3, 0, 3_000_000, RECIPIENT)]
    assert.deepStrictEqual(failed([send], exchangeB.native.address, sending), [])
    for (const steps of [[deposit], [{ ...send, id: "deposit" }], [{ ...deposit, id: "send" }], [send, send], []]) {
      assert.isNotEmpty(failed(steps, exchangeB.native.address, sending))
    }
    assert.isNotEmpty(failed([send]))
  })

  it("are refused with any other value changed", () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.boolean(), (leaf, how, isSend) => {
        const step = isSend ? written(3, 0, 3_000_000, RECIPIENT) : written(3, 0)
        const signed = step.items.map(({ data }) => data)
        const changed = withAnotherLeaf(signed, leaf, how)
        const withoutFee = (value: unknown) => JSON.stringify(value).replace(/"usdcFee":\d+/, "")
        if (withoutFee(changed) === withoutFee(signed)) return
        const steps = [{ ...step, items: [{ status: "incomplete", data: changed[0] }] }]
        const failures = failed(steps, exchangeB.native.address, isSend ? sending : {})
        assert.isNotEmpty(failures, JSON.stringify(changed))
      }),
      { numRuns: inputs(2_000, 100_000) }
    )
  })

  it("are refused twice, missing, and beside another step", () => {
    const step = written(3, 0)
    for (const steps of [[], [step, step], [{ ...step, id: "approve" }, step], [{ ...step, id: "send" }]]) {
      assert.isNotEmpty(failed(steps))
    }
    assert.isNotEmpty(failed([{ ...step, items: [...step.items, ...step.items] }]))
  })

  it("cost the fee that the transfer names", () => {
    const [step] = Result.getOrThrow(decode([written(3, 0)]))
    const costs = exchangeBSteps.costs({ steps: step === undefined ? [] : [step] } as never, requestFor("0"))
    assert.deepStrictEqual(costs, [3_000_000n])
  })
})
