import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { inputs } from "../../../../scripts/testing/Tally.ts"
import { refuseBody } from "./DecodeRequest.ts"
import type { QuoteRefused } from "../QuoteError.ts"
import { quoteRequestOf, requestParameters } from "./QuoteRequest.ts"
import { defaultLimits } from "./RequestLimits.ts"
import { resolveRequest } from "./ResolveRequest.ts"
import { alpha, beta, chains, evmAddress, solana, solanaUser } from "../testing/Chains.ts"

const decode = Schema.decodeUnknownResult(quoteRequestOf(requestParameters), { errors: "all" })
const limits = { ...defaultLimits, serviceName: "causeway" }

/** As a host answers: a body that does not decode is looked at as far as it does. */
const refusalOf = (body: object): QuoteRefused | undefined => {
  const decoded = decode(body)
  if (Result.isFailure(decoded)) return refuseBody(decoded.failure.issue, body, chains)
  const resolved = resolveRequest(decoded.success, chains, limits)
  return Result.isFailure(resolved) ? resolved.failure : undefined
}

const valid = {
  user: evmAddress("11"),
  originChainId: 1,
  destinationChainId: 2,
  originCurrency: alpha.native.address,
  destinationCurrency: beta.native.address,
  amount: "1000000000000000000",
  tradeType: "EXACT_INPUT",
  useDepositAddress: true
}

/** Faults of one field each, whatever the others are; undefined leaves the field out. */
const undecoded = {
  amount: ["-1", undefined, 5],
  tradeType: ["NONE", undefined],
  slippageTolerance: ["much", "10001"],
  ttl: [-1, "soon"],
  referrerAddress: ["0x12"]
} as const

const unresolved = {
  user: ["0x12", "nobody", ""],
  recipient: ["0x12", beta.depository],
  refundTo: ["0x12", "somebody"],
  recoveryAddress: ["0x1"],
  originCurrency: ["0x12", evmAddress("99")],
  destinationCurrency: ["x", evmAddress("99")],
  appFees: [[{ recipient: "0x1", fee: "1" }], [
    { recipient: evmAddress("22"), fee: "1" },
    { recipient: "0x2", fee: "1" }
  ]]
} as const

const faulty = (faults: Readonly<Record<string, ReadonlyArray<unknown>>>) =>
  fc.record(
    Object.fromEntries(Object.entries(faults).map(([field, values]) => [field, fc.constantFrom(...values)])),
    { requiredKeys: [] }
  )

const names = (refused: QuoteRefused, field: string) => new RegExp(`(^|; )${field}[.:]`, "u").test(refused.message)

describe("the faults of a request (ERROR-1)", () => {
  it("are all told in one answer, those of decoding and those of chains, currencies and addresses", () => {
    fc.assert(
      fc.property(faulty(undecoded), faulty(unresolved), (first, second) => {
        const refused = refusalOf({ ...valid, ...first, ...second })
        const fields = [...Object.keys(first), ...Object.keys(second)]
        if (fields.length === 0) return assert.isUndefined(refused)
        if (refused === undefined) return assert.fail(`nothing is wrong with ${fields.join(", ")}`)
        // More than ten are counted.
        const named = [...Object.keys(undecoded), ...Object.keys(unresolved)].filter((field) => names(refused, field))
        if (fields.length <= 10) return assert.sameMembers(named, fields, refused.message)
        assert.lengthOf(named, 10, refused.message)
        assert.include(refused.message, `and ${fields.length - 10} more`)
      }),
      { numRuns: inputs(2_000, 50_000) }
    )
  })

  it("of rules between fields are told with those of addresses", () => {
    const refused = refusalOf({
      ...valid,
      user: "nobody",
      strict: true,
      topupGasAmount: "1",
      permitExpiry: 5,
      includedSwapSources: ["uniswap-v9"],
      fixedRate: "one",
      txs: [{ to: "0x1", value: "0", data: "0x" }, { to: beta.router, value: "0", data: "0x" }]
    })
    assert.isDefined(refused)
    for (
      const each of [
        "strict: needs refundTo",
        "topupGasAmount: needs topupGas",
        "permitExpiry: needs usePermit",
        "fixedRate: needs subsidizeFees",
        "user: not an address of ",
        "includedSwapSources.0: "
      ]
    ) {
      assert.include(refused?.message, each)
    }
    // Calls depend on both chains and the currencies alone: the first fault decides the code.
    assert.strictEqual(refused?.code, "INVALID_REQUEST")
  })

  it("of a chain are told once, not again of what is looked up there", () => {
    const refused = refusalOf({ ...valid, originChainId: 99, destinationChainId: 98, user: "nobody" })
    assert.strictEqual(refused?.code, "UNSUPPORTED_CHAIN")
    assert.strictEqual(refused?.message.match(/originChainId: /gu)?.length, 1)
    assert.strictEqual(refused?.message.match(/destinationChainId: /gu)?.length, 1)
    assert.notInclude(refused?.message, "user")
  })

  it("of a user are not told again of the recipient that it is by default, but on a chain of another family", () => {
    assert.strictEqual(refusalOf({ ...valid, user: "nobody" })?.message.match(/recipient/gu), null)
    const elsewhere = refusalOf({
      ...valid,
      user: "nobody",
      destinationChainId: solana.id,
      destinationCurrency: solana.native.address
    })
    assert.include(elsewhere?.message, "user: ")
    assert.include(elsewhere?.message, "recipient: ")
    assert.isUndefined(refusalOf({
      ...valid,
      destinationChainId: solana.id,
      destinationCurrency: solana.native.address,
      recipient: solanaUser
    }))
  })
})
