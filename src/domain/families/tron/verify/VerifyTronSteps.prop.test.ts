/** What a client accepts of a Tron origin's steps: exactly what viem writes for the order, and nothing that differs. */
import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { concat, encodeFunctionData, erc20Abi, parseAbi } from "viem"
import { inputs } from "../../../../../scripts/testing/Tally.ts"
import { OrderId } from "../../../order/Order.ts"
import { QuoteRequest } from "../../../quote/request/QuoteRequest.ts"
import { resolveRequest } from "../../../quote/request/ResolveRequest.ts"
import { alpha, evmAddress, tron, tronUsdt } from "../../../quote/testing/Chains.ts"
import type { Quote } from "../../../quote/wire/Quote.ts"
import { Step } from "../../../quote/wire/Step.ts"
import { tronSteps } from "./VerifyTronSteps.ts"

const AMOUNT = 70_000_000n
const order = OrderId.make(`0x${"5a".repeat(32)}`)
const user = "TJRyWwFs9wTFGZg3JbrVriFbNfCug5tDeC"
const friend = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"

const abi = parseAbi([
  "function depositNative(address depositor, bytes32 id)",
  "function depositErc20(address depositor, address token, uint256 amount, bytes32 id)"
])

/** The 20 bytes of an account, by its raw base58 digits. */
const evmOf = (text: string): `0x${string}` =>
  `0x${Buffer.from(Result.getOrThrow(tron.family.addresses("mainnet").toBytes(text))).toString("hex").slice(2)}`
const nodeForm = (text: string) => `41${evmOf(text).slice(2)}`

const call = (to: string, data: `0x${string}`, value = 0) => ({
  type: "TriggerSmartContract",
  parameter: {
    owner_address: nodeForm(user),
    contract_address: nodeForm(to),
    data: data.slice(2),
    call_value: value
  }
})
const approve = (units: bigint, spender: string = tron.depository) =>
  call(tronUsdt.address, encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [evmOf(spender), units] }))

const step = (id: string, ...data: ReadonlyArray<object>) => ({
  id,
  kind: "transaction",
  action: "Confirm",
  description: "Confirm",
  requestId: `0x${"0a".repeat(32)}`,
  items: data.map((each) => ({ status: "incomplete", data: each }))
})

const depositTrx = call(
  tron.depository,
  encodeFunctionData({ abi, functionName: "depositNative", args: [evmOf(user), order] }),
  Number(AMOUNT)
)
const depositUsdt = call(
  tron.depository,
  encodeFunctionData({
    abi,
    functionName: "depositErc20",
    args: [evmOf(user), evmOf(tronUsdt.address), AMOUNT, order]
  })
)
const sendTrx = {
  type: "TransferContract",
  parameter: { owner_address: nodeForm(user), to_address: nodeForm(friend), amount: Number(AMOUNT) },
  memo: order
}
const sendUsdt = call(
  tronUsdt.address,
  concat([encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [evmOf(friend), AMOUNT] }), order])
)

const expectedFor = (originCurrency: string, isSend: boolean) => {
  const body = Schema.decodeUnknownSync(QuoteRequest)({
    user,
    originChainId: tron.id,
    originCurrency,
    amount: `${AMOUNT}`,
    tradeType: "EXACT_INPUT",
    ...(isSend
      ? { recipient: friend, destinationChainId: tron.id, destinationCurrency: originCurrency }
      : { recipient: evmAddress("22"), destinationChainId: alpha.id, destinationCurrency: alpha.native.address })
  })
  const request = Result.getOrThrow(resolveRequest(body, [alpha, tron]))
  return { request, orderId: order, amount: AMOUNT, least: 0n, explicitDeposit: true }
}

type Steps = ReadonlyArray<ReturnType<typeof step>>

const isAccepted = (expected: ReturnType<typeof expectedFor>) => {
  const decode = Schema.decodeUnknownResult(Schema.Array(Step))
  return (steps: unknown): boolean => {
    const decoded = decode(steps)
    return Result.isSuccess(decoded) &&
      tronSteps.steps(decoded.success, expected).every(({ outcome }) => outcome === "ok")
  }
}

const cases: ReadonlyArray<readonly [name: string, currency: string, isSend: boolean, steps: Steps]> = [
  ["a deposit of TRX", tron.native.address, false, [step("deposit", depositTrx)]],
  ["a deposit of USDT", tronUsdt.address, false, [step("deposit", depositUsdt)]],
  ["a deposit of USDT after an approval", tronUsdt.address, false, [
    step("approve", approve(AMOUNT)),
    step("deposit", depositUsdt)
  ]],
  ["a deposit of USDT after a reset and an approval", tronUsdt.address, false, [
    step("approve", approve(0n), approve(AMOUNT)),
    step("deposit", depositUsdt)
  ]],
  ["a send of TRX", tron.native.address, true, [step("send", sendTrx)]],
  ["a send of USDT", tronUsdt.address, true, [step("send", sendUsdt)]]
]

/** Where a text of the steps' data stands: its path, and its length. */
const textsIn = (value: unknown, path: ReadonlyArray<string> = []): ReadonlyArray<readonly [string, number]> =>
  typeof value === "string" || typeof value === "number"
    ? [[path.join("."), `${value}`.length]]
    : Object.entries(value as object).flatMap(([key, each]) => textsIn(each, [...path, key]))

const changedAt = (value: unknown, path: ReadonlyArray<string>, change: (of: unknown) => unknown): unknown => {
  const [first, ...rest] = path
  if (first === undefined) return change(value)
  return Array.isArray(value)
    ? value.map((each: unknown, index) => `${index}` === first ? changedAt(each, rest, change) : each)
    : { ...value as object, [first]: changedAt((value as Record<string, unknown>)[first], rest, change) }
}

const flip = (text: string, at: number): string =>
  `${text.slice(0, at)}${text[at] === "7" ? "8" : "7"}${text.slice(at + 1)}`

for (const [name, currency, isSend, steps] of cases) {
  describe(`verifyQuote, of ${name} on Tron`, () => {
    const accepts = isAccepted(expectedFor(currency, isSend))

    it("accepts what viem writes for the order", () => assert.isTrue(accepts(steps)))

    it("refuses any other text or number in what is signed", () => {
      const places = textsIn(steps).filter(([path]) => path.includes(".data."))
      assert.isAtLeast(places.length, 5)
      fc.assert(
        fc.property(fc.constantFrom(...places), fc.nat(1_000), ([path, length], at) => {
          const changed = changedAt(
            steps,
            path.split("."),
            (of) => typeof of === "number" ? of + 1 + at : flip(String(of), at % length)
          )
          assert.isFalse(accepts(changed), path)
        }),
        { numRuns: inputs(300, 20_000) }
      )
    })

    it("refuses more or fewer steps, and steps in another order", () => {
      assert.isFalse(accepts([]))
      assert.isFalse(accepts([...steps, ...steps]))
      if (steps.length > 1) assert.isFalse(accepts(steps.toReversed()))
      assert.isFalse(accepts([step("approve", approve(AMOUNT, friend)), ...steps]))
      assert.isFalse(accepts([step("approve", approve(2n ** 255n)), step("deposit", depositUsdt)]))
      assert.isFalse(accepts(steps.map((each) => ({ ...each, depositAddress: friend }))))
      assert.isFalse(accepts(steps.map((each) => ({ ...each, id: "swap" }))))
    })
  })
}

describe("verifyQuote, of a deposit address on Tron", () => {
  const depositAddress = "TQ5NMqJjhpQGK7YJbESKfjXZNqT1LEyVFD"
  const paid = {
    [tron.native.address]: {
      ...sendTrx,
      parameter: { ...sendTrx.parameter, to_address: nodeForm(friend) },
      memo: undefined
    },
    [tronUsdt.address]: call(
      tronUsdt.address,
      encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [evmOf(friend), AMOUNT] })
    )
  }
  const opinion = (currency: string, changes: object) => {
    const { request, ...rest } = expectedFor(currency, false)
    const asked = { ...request, depositAddress: { mode: "open", depositor: request.user, factory: undefined } as const }
    const shown = [{ ...step("deposit", paid[currency] ?? {}), depositAddress: friend, ...changes }]
    const decoded = Schema.decodeUnknownResult(Schema.Array(Step))(JSON.parse(JSON.stringify(shown)))
    if (Result.isFailure(decoded)) return ["undecodable"]
    const checks = tronSteps.steps(decoded.success, { ...rest, request: asked })
    return checks.filter(({ outcome }) => outcome !== "ok").map(({ name, outcome }) => `${name}: ${outcome}`)
  }
  const GOOD = ["deposit address: unchecked"]

  for (const currency of [tron.native.address, tronUsdt.address]) {
    it(`is one plain transfer of ${currency} to the shown address, which only the service can derive`, () => {
      assert.deepStrictEqual(opinion(currency, {}), GOOD)
      for (
        const changes of [
          { depositAddress },
          { depositAddress: undefined },
          { depositAddress: tron.depository },
          { depositAddress: user },
          { items: [] },
          { id: "send" },
          { items: step("deposit", sendTrx).items },
          { items: step("deposit", sendUsdt).items },
          { items: step("deposit", depositTrx).items }
        ]
      ) assert.notDeepEqual(opinion(currency, changes), GOOD, JSON.stringify(changes))
    })
  }
})

describe("the costs of a Tron wallet", () => {
  it("are the quote's own figure, within what three transactions can burn", () => {
    const { request } = expectedFor(tron.native.address, false)
    const costsOf = (amount: string) => tronSteps.costs({ fees: { gas: { amount } } } as Quote, request)
    assert.deepStrictEqual(costsOf("2500000"), [2_500_000n])
    for (const wrong of ["0", "-1", "45000000001", "x", ""]) assert.isFalse(costsOf(wrong).map(String).includes(wrong))
  })
})
