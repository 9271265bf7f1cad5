import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { inputs } from "../../../../scripts/testing/Tally.ts"
import { alpha, beta, chains, evmAddress, solana, solanaPayer, solanaUsdc, solanaUser } from "../testing/Chains.ts"
import { answer, now, settlement, solver } from "../testing/SignedQuotes.ts"
import { verifyQuote } from "./VerifyQuote.ts"

const expected = { chains, solver, settlement, now }

const request = (changes: object = {}) => ({
  user: evmAddress("11"),
  originChainId: 1,
  destinationChainId: 2,
  originCurrency: alpha.native.address,
  destinationCurrency: beta.native.address,
  amount: "1000000000000000000",
  tradeType: "EXACT_INPUT",
  includeProtocolData: true,
  ...changes
})

const usdc = {
  originCurrency: alpha.currencies[1]!.address,
  destinationCurrency: beta.currencies[1]!.address,
  amount: "100000000"
}

const fromSolana = {
  user: solanaUser,
  recipient: evmAddress("22"),
  originChainId: solana.id,
  originCurrency: solana.native.address,
  amount: "1000000000"
}
const ofToken = { ...fromSolana, originCurrency: solanaUsdc.address, amount: "100000000" }

const requests: ReadonlyArray<readonly [what: string, body: object]> = [
  ["a native deposit", request()],
  ["an ERC-20 deposit with an approval", request(usdc)],
  ["a plain transfer that names the order", request({ ...usdc, explicitDeposit: false })],
  [
    "an exact output with calls and app fees",
    request({
      tradeType: "EXACT_OUTPUT",
      recipient: evmAddress("22"),
      refundOnOrigin: true,
      txs: [{ to: evmAddress("33"), value: "5", data: "0xabcd" }],
      appFees: [{ recipient: evmAddress("44"), fee: "30" }]
    })
  ],
  [
    "a sponsored one with a topup",
    request({
      ...usdc,
      refundTo: evmAddress("55"),
      tradeType: "EXPECTED_OUTPUT",
      slippageTolerance: "123",
      topupGas: true,
      subsidizeFees: true,
      maxSubsidizationAmount: "1000000"
    })
  ],
  ["one by a deposit address", request({ useDepositAddress: true })],
  [
    "one of a token by a strict deposit address",
    request({
      ...usdc,
      useDepositAddress: true,
      strict: true,
      refundTo: evmAddress("55"),
      recoveryAddress: evmAddress("66"),
      tradeType: "EXACT_OUTPUT"
    })
  ],
  ["SOL", request(fromSolana)],
  [
    "a token of Solana, with a limit of units, whose refund goes to somebody else",
    request({ ...ofToken, includeComputeUnitLimit: true, refundTo: solanaPayer })
  ],
  [
    "a send of SOL",
    request({
      ...fromSolana,
      recipient: solanaPayer,
      destinationChainId: solana.id,
      destinationCurrency: solana.native.address
    })
  ],
  [
    "one that Solana receives",
    request({
      destinationChainId: solana.id,
      destinationCurrency: solanaUsdc.address,
      recipient: solanaUser,
      refundTo: evmAddress("55")
    })
  ]
]

type Path = ReadonlyArray<string>

const leavesOf = (value: unknown, path: Path = []): ReadonlyArray<Path> =>
  typeof value === "object" && value !== null
    ? Object.entries(value).flatMap(([name, inner]) => leavesOf(inner, [...path, name]))
    : [path]

/** Texts for people, and figures from prices, clocks and balances, which no client can recompute from the order. */
const immaterial = [
  /\.(?:action|description|amountUsd|usd|percent|verified|maxPriorityFeePerGas)$/,
  /^details\.(?:timeEstimate|userBalance|operation)$/,
  /^details\.slippageTolerance\.(?:total|origin\.)/,
  /^details\.route\.(?:origin|destination)\.router$/,
  /^details\.route\.(?:origin\.output|destination\.input)Currency\./
]

const isMaterial = (path: Path): boolean => !immaterial.some((pattern) => pattern.test(path.join(".")))

const edit = (value: unknown, [name, ...rest]: Path, change: (leaf: unknown) => unknown): unknown => {
  if (name === undefined) return change(value)
  if (Array.isArray(value)) {
    return value.map((inner: unknown, index) => `${index}` === name ? edit(inner, rest, change) : inner)
  }
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, key === name ? edit(inner, rest, change) : inner])
  )
}

/** Another value of the same kind, so that the change is not just found by the schema. */
const changed = (leaf: unknown, at: number): unknown => {
  if (typeof leaf === "boolean") return !leaf
  if (typeof leaf === "number") return leaf + 1
  const text = String(leaf)
  if (text === "") return "x"
  const index = text.startsWith("0x") && text.length > 2 ? 2 + at % (text.length - 2) : at % text.length
  const digit = text[index] ?? "0"
  const other = /[0-8]/.test(digit) ? `${Number(digit) + 1}` : digit === "9" ? "0" : digit === "a" ? "b" : "a"
  return text.slice(0, index) + other + text.slice(index + 1)
}

describe("verifyQuote", () => {
  for (const [what, body] of requests) {
    const quote = answer(body)
    it(`accepts ${what}`, () => {
      const { checks, ok } = verifyQuote(quote, body, expected)
      assert.deepStrictEqual(checks.filter(({ outcome }) => outcome !== "ok"), [])
      assert.isTrue(ok && checks.length > 40)
    })

    it(`detects every tampered member of ${what}`, () => {
      const leaves = leavesOf(quote).filter(isMaterial)
      assert.isAbove(leaves.length, 80)
      const tampered = (path: Path, at: number) => edit(quote, path, (leaf) => changed(leaf, at))
      for (const path of leaves) assert.isFalse(verifyQuote(tampered(path, 0), body, expected).ok, path.join("."))
      fc.assert(
        fc.property(
          fc.constantFrom(...leaves),
          fc.nat(600),
          (path, at) => !verifyQuote(tampered(path, at), body, expected).ok
        ),
        { numRuns: inputs(200, 20_000) }
      )
    })

    it(`detects that ${what} answers another request`, () => {
      const others: ReadonlyArray<object> = [
        { amount: "1000000000000000001" },
        { user: evmAddress("99") },
        { recipient: evmAddress("99") },
        { refundTo: evmAddress("99") },
        { destinationChainId: 1, gasLimitForDepositSpecifiedTxs: 1 },
        // A send has no price that could change.
        ...(what.startsWith("a send") ? [] : [{ slippageTolerance: "1", tradeType: "EXACT_INPUT", txs: [] }]),
        { txs: [{ to: evmAddress("99"), value: "0", data: "0x" }], tradeType: "EXACT_INPUT" }
      ]
      for (const other of others) {
        assert.isFalse(verifyQuote(quote, { ...body, ...other }, expected).ok, JSON.stringify(other))
      }
    })

    it(`detects another solver, settlement, depository, bound or time in ${what}`, () => {
      const ok = (changes: object) => verifyQuote(quote, body, { ...expected, ...changes }).ok
      assert.isFalse(ok({ solver: evmAddress("99") }))
      assert.isFalse(ok({ settlement: "beta" }))
      assert.isFalse(ok({ chains: chains.map((chain) => ({ ...chain, depository: evmAddress("99") })) }))
      assert.isFalse(ok({ chains: chains.map((chain) => ({ ...chain, router: evmAddress("99") })) }))
      assert.isFalse(ok({ chains: [] }))
      assert.isFalse(ok({ maximumIn: 1n }))
      assert.isFalse(ok({ minimumOut: 2n ** 255n }))
      assert.isFalse(ok({ now: now + 8 * 86_400 }))
      assert.isFalse(ok({ now: now - 86_400 }))
    })
  }

  it("refuses steps beyond the deposit: a second one, another approval, an unknown kind", () => {
    const body = request(usdc)
    const quote = answer(body)
    const withSteps = (change: (steps: ReadonlyArray<unknown>) => unknown) =>
      verifyQuote(edit(quote, ["steps"], (steps) => change(steps as ReadonlyArray<unknown>)), body, expected)
    assert.isFalse(withSteps((steps) => [...steps, steps[1]]).ok)
    assert.isFalse(withSteps((steps) => [steps[0]]).ok)
    assert.isFalse(withSteps(() => []).ok)
    const swapped = withSteps(([approve, deposit]) => [edit(approve, ["id"], () => "swap"), deposit])
    assert.isTrue(swapped.checks.some(({ outcome }) => outcome === "unchecked"))
    assert.isFalse(swapped.ok)
  })

  it("detects a sponsor that pays less than was selected, or something else, and a cap that was not hit", () => {
    const body = request({
      ...usdc,
      subsidizeFees: true,
      sponsoredFeeComponents: ["execution", "swap"],
      maxSubsidizationAmount: "30000"
    })
    const quote = answer(body)
    assert.isTrue(verifyQuote(quote, body, expected).ok)
    assert.isFalse(verifyQuote(quote, { ...body, sponsoredFeeComponents: ["execution"] }, expected).ok)
    assert.isFalse(verifyQuote(quote, { ...body, maxSubsidizationAmount: "30001" }, expected).ok)
    const whole = { ...body, maxSubsidizationAmount: "3000000" }
    assert.isTrue(verifyQuote(answer(whole), whole, expected).ok)
    assert.isFalse(
      verifyQuote(edit(answer(whole), ["feeSponsorship", "quoted", "capHit"], () => true), whole, expected).ok
    )
  })

  it("detects a correctly signed order that pays someone else", () => {
    const body = request({ refundOnOrigin: true, refundTo: evmAddress("22") })
    const stolen = edit(answer({ ...body, recipient: evmAddress("99") }), ["details", "recipient"], () => body.user)
    const { checks } = verifyQuote(stolen, body, expected)
    assert.deepStrictEqual(checks.filter(({ outcome }) => outcome !== "ok").map(({ name }) => name), [
      "output recipient"
    ])
  })

  it("detects a deposit address of another factory or depositor, and refuses one on a chain whose factory the client does not know", () => {
    const body = request({ useDepositAddress: true, recoveryAddress: evmAddress("66") })
    const quote = answer(body)
    const verified = (factory: object, sent: object = body) =>
      verifyQuote(quote, sent, {
        ...expected,
        chains: chains.map(({ depositAddresses: _, ...chain }) => ({ ...chain, ...factory }))
      })
    const other = verified({ depositAddresses: { factory: evmAddress("99") } })
    assert.deepStrictEqual(other.checks.filter(({ outcome }) => outcome !== "ok").map(({ name }) => name), [
      "deposit address",
      "deposit 0 target"
    ])
    assert.isFalse(
      verified({ depositAddresses: { factory: evmAddress("fa") } }, { ...body, recoveryAddress: evmAddress("67") }).ok
    )
    assert.isFalse(verifyQuote(quote, request(), expected).ok)
    assert.isFalse(verifyQuote(answer(request()), body, expected).ok)
    assert.include(verified({}).checks[0]?.found, "has no deposit addresses")
  })

  it("reports a problem in any garbage, and never throws", () => {
    const body = request()
    const quote = answer(body)
    const leaves = leavesOf(quote)
    fc.assert(
      fc.property(fc.anything(), fc.anything(), fc.constantFrom(...leaves), fc.nat(5), (any, other, path, depth) => {
        assert.isFalse(verifyQuote(any, body, expected).ok)
        assert.isFalse(verifyQuote(quote, other, expected).ok)
        // An arbitrary value anywhere in a valid quote: any outcome but a throw.
        verifyQuote(edit(quote, path.slice(0, depth), () => any), body, expected)
      }),
      { numRuns: inputs(1_000, 50_000) }
    )
  })
})
