import { assert, describe, it } from "@effect/vitest"
import * as Result from "effect/Result"
import * as fc from "fast-check"
import { inputs } from "../../../../scripts/testing/Tally.ts"
import { wallets } from "../../families/bitcoin/steps/testing/Wallets.ts"
import { makeRequestDecoder } from "./DecodeRequest.ts"
import { findUnserved, quoteRequestOf, requestParameters } from "./QuoteRequest.ts"
import { defaultLimits } from "./RequestLimits.ts"
import { resolveRequest } from "./ResolveRequest.ts"
import { alpha, beta, bitcoin, chains, evmAddress, solana, solanaPayer, solanaUser } from "../testing/Chains.ts"

const decode = makeRequestDecoder(requestParameters)
const limits = { ...defaultLimits, serviceName: "causeway" }

const request = (changes: object = {}) => ({
  user: evmAddress("11"),
  originChainId: 1,
  destinationChainId: 2,
  originCurrency: alpha.native.address,
  destinationCurrency: beta.native.address,
  amount: "1000000000000000000",
  tradeType: "EXACT_INPUT",
  ...changes
})

const resolve = (body: object) => Result.flatMap(decode(body), (decoded) => resolveRequest(decoded, chains, limits))

const fromSolana = {
  user: solanaUser,
  originChainId: solana.id,
  originCurrency: solana.native.address,
  recipient: evmAddress("11")
}
const fromBitcoin = { originChainId: bitcoin.id, originCurrency: bitcoin.native.address, recipient: evmAddress("11") }
const call = (changes: object = {}) => ({ to: evmAddress("33"), value: "0", data: "0x", ...changes })
const usdcOut = { destinationCurrency: beta.currencies[1]!.address }

/** Refused requests: the error code, the field that is blamed, and another field that the message names. */
const refusals: ReadonlyArray<readonly [changes: object, code: string, field: string, names?: string]> = [
  // A field whose requirement is not met names both.
  [{ maxSubsidizationAmount: "1" }, "INVALID_REQUEST", "maxSubsidizationAmount", "subsidizeFees"],
  [{ maxSubsidizationAmount: "1", subsidizeFees: false }, "INVALID_REQUEST", "maxSubsidizationAmount", "subsidizeFees"],
  [{ sponsoredFeeComponents: ["swap"] }, "INVALID_REQUEST", "sponsoredFeeComponents", "subsidizeFees"],
  [{ fixedRate: "1:1" }, "INVALID_REQUEST", "fixedRate", "subsidizeFees"],
  [{ recoveryAddress: evmAddress("22") }, "INVALID_REQUEST", "recoveryAddress", "useDepositAddress"],
  [{ strict: true }, "INVALID_REQUEST", "strict", "useDepositAddress"],
  [{ strict: true, useDepositAddress: true }, "INVALID_REQUEST", "strict", "refundTo"],
  [{ topupGasAmount: "1" }, "INVALID_REQUEST", "topupGasAmount", "topupGas"],
  [{ topupGas: true }, "INVALID_REQUEST", "topupGas", "destinationCurrency"],
  [
    {
      topupGas: true,
      destinationChainId: solana.id,
      destinationCurrency: solana.native.address,
      recipient: solanaUser
    },
    "INVALID_REQUEST",
    "topupGas",
    "destinationChainId"
  ],
  [{ depositFeePayer: solanaUser }, "INVALID_REQUEST", "depositFeePayer", "originChainId"],
  [{ ...fromSolana, depositFeePayer: solanaUser }, "INVALID_REQUEST", "depositFeePayer", "user"],
  [{ ...fromSolana, depositFeePayer: "0x12" }, "INVALID_ADDRESS", "depositFeePayer"],
  [
    { sponsoredFeeComponents: ["swap"], subsidizeFees: true, useDepositAddress: true },
    "INVALID_REQUEST",
    "sponsoredFeeComponents",
    "useDepositAddress"
  ],
  [{ usePermit: true, useDepositAddress: true, ...usdcOut }, "INVALID_REQUEST", "usePermit", "useDepositAddress"],
  [{ usePermit: true }, "INVALID_REQUEST", "usePermit", "originCurrency"],
  [{ ...fromSolana, usePermit: true }, "INVALID_REQUEST", "usePermit", "originChainId"],
  // Trade types.
  [{ useDepositAddress: true, tradeType: "EXACT_OUTPUT" }, "UNSUPPORTED_TRADE_TYPE", "tradeType", "strict"],
  [{ txs: [call()], tradeType: "EXPECTED_OUTPUT" }, "UNSUPPORTED_TRADE_TYPE", "tradeType", "txs"],
  // Sponsorship.
  [{ subsidizeFees: true, sponsoredFeeComponents: [] }, "INVALID_REQUEST", "sponsoredFeeComponents"],
  [{ subsidizeFees: true, sponsoredFeeComponents: ["gas"] }, "INVALID_REQUEST", "sponsoredFeeComponents"],
  [{ subsidizeFees: true, sponsoredFeeComponents: "swap" }, "INVALID_REQUEST", "sponsoredFeeComponents"],
  [{ subsidizeFees: true, maxSubsidizationAmount: 5 }, "INVALID_REQUEST", "maxSubsidizationAmount"],
  [{ subsidizeFees: "true" }, "INVALID_REQUEST", "subsidizeFees"],
  [{ subsidizeFees: true, fixedRate: "one" }, "INVALID_REQUEST", "fixedRate"],
  // App fees.
  [{ appFees: [{ recipient: "0x1", fee: "1" }] }, "INVALID_ADDRESS", "appFees.0.recipient"],
  [{ appFees: [{ recipient: evmAddress("22"), fee: "1.5" }] }, "INVALID_REQUEST", "appFees.0.fee"],
  [{ appFees: [{ recipient: evmAddress("22"), fee: 100 }] }, "INVALID_REQUEST", "appFees.0.fee"],
  [
    { appFees: [{ recipient: evmAddress("22"), fee: "600" }, { recipient: evmAddress("23"), fee: "401" }] },
    "INVALID_REQUEST",
    "appFees"
  ],
  [{ appFees: {} }, "INVALID_REQUEST", "appFees"],
  // Calls.
  [{ txs: [call({ to: "0x1" })] }, "INVALID_EXTRA_TXS", "txs.0.to"],
  [{ txs: [call(), call({ to: beta.depository })] }, "INVALID_EXTRA_TXS", "txs.1.to"],
  [{ txs: [call({ to: beta.router })] }, "INVALID_EXTRA_TXS", "txs.0.to"],
  [{ txs: [call({ to: beta.vault })] }, "INVALID_EXTRA_TXS", "txs.0.to"],
  [{ txs: [call({ value: "1" })], ...usdcOut }, "INVALID_EXTRA_TXS", "txs"],
  [{ txs: [call(), call({ data: `0x${"00".repeat(32_769)}` })] }, "INVALID_EXTRA_TXS", "txs.1.data"],
  [{ txs: Array.from({ length: 3 }, () => call({ data: `0x${"00".repeat(30_000)}` })) }, "INVALID_EXTRA_TXS", "txs"],
  [{ txs: Array.from({ length: 33 }, () => call()) }, "INVALID_EXTRA_TXS", "txs"],
  [{ txs: [call({ data: "0x1" })] }, "INVALID_REQUEST", "txs.0.data"],
  [{ txs: [call({ value: "-1" })] }, "INVALID_REQUEST", "txs.0.value"],
  [
    { txs: [call()], destinationChainId: solana.id, destinationCurrency: solana.native.address, recipient: solanaUser },
    "EXTRA_TXS_NOT_SUPPORTED",
    "txs"
  ],
  [
    { txs: [call()], destinationChainId: 1, destinationCurrency: alpha.currencies[1]!.address },
    "INVALID_REQUEST",
    "gasLimitForDepositSpecifiedTxs",
    "txs"
  ],
  [
    { txs: [call()], gasLimitForDepositSpecifiedTxs: 100_000 },
    "INVALID_REQUEST",
    "gasLimitForDepositSpecifiedTxs",
    "txsGasLimit"
  ],
  [{ gasLimitForDepositSpecifiedTxs: 100_000 }, "INVALID_REQUEST", "gasLimitForDepositSpecifiedTxs", "txs"],
  [
    { txs: [call()], txsGasLimit: 1, gasLimitForDepositSpecifiedTxs: 1 },
    "INVALID_REQUEST",
    "txsGasLimit",
    "gasLimitForDepositSpecifiedTxs"
  ],
  // Values and ceilings.
  [{ slippageTolerance: "10001" }, "INVALID_SLIPPAGE_TOLERANCE", "slippageTolerance"],
  [{ slippageTolerance: "1.5" }, "INVALID_SLIPPAGE_TOLERANCE", "slippageTolerance"],
  [{ slippageTolerance: 50 }, "INVALID_SLIPPAGE_TOLERANCE", "slippageTolerance"],
  [{ latePaymentSlippageTolerance: "" }, "INVALID_SLIPPAGE_TOLERANCE", "latePaymentSlippageTolerance"],
  [{ topupGas: true, topupGasAmount: "10000001", ...usdcOut }, "INVALID_REQUEST", "topupGasAmount"],
  [
    {
      authorizationList: Array.from(
        { length: 9 },
        () => ({ chainId: 2, address: evmAddress("22"), nonce: 0, yParity: 0, r: "0x1", s: "0x1" })
      )
    },
    "INVALID_REQUEST",
    "authorizationList"
  ],
  [{ authorizationList: [{ chainId: 2 }] }, "INVALID_REQUEST", "authorizationList.0.address"],
  [{ referrerAddress: "0x12" }, "INVALID_REQUEST", "referrerAddress"],
  [{ ttl: 0 }, "INVALID_REQUEST", "ttl"],
  [{ txs: [call()], txsGasLimit: "" }, "INVALID_REQUEST", "txsGasLimit"],
  [{ txs: [call()], txsGasLimit: "1e5" }, "INVALID_REQUEST", "txsGasLimit"],
  [{ txs: [call()], txsGasLimit: "0x10" }, "INVALID_REQUEST", "txsGasLimit"],
  [{ txs: [call()], txsGasLimit: "0" }, "INVALID_REQUEST", "txsGasLimit"],
  [{ txs: [call()], txsGasLimit: "4294967296" }, "INVALID_REQUEST", "txsGasLimit"],
  [{ txs: [call()], txsGasLimit: " 5" }, "INVALID_REQUEST", "txsGasLimit"],
  [{ ttl: "60" }, "INVALID_REQUEST", "ttl"],
  [{ permitExpiry: 1.5 }, "INVALID_REQUEST", "permitExpiry"],
  [{ includedSwapSources: "all" }, "INVALID_REQUEST", "includedSwapSources"],
  [{ additionalData: { userPublicKey: "key" } }, "INVALID_REQUEST", "additionalData.userPublicKey"],
  [
    { additionalData: { userPublicKey: "02".repeat(33) } },
    "INVALID_REQUEST",
    "additionalData.userPublicKey",
    "Bitcoin"
  ],
  [
    { ...fromBitcoin, user: "3P14159f73E4gFr7JterCCQh9QjiTjiZrG" },
    "INVALID_REQUEST",
    "additionalData.userPublicKey",
    "user"
  ],
  [
    { ...fromBitcoin, user: "3P14159f73E4gFr7JterCCQh9QjiTjiZrG", additionalData: { userPublicKey: "02".repeat(33) } },
    "INVALID_REQUEST",
    "additionalData.userPublicKey",
    "P2SH-P2WPKH"
  ],
  [
    { ...fromBitcoin, user: "bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr" },
    "INVALID_REQUEST",
    "additionalData.userPublicKey",
    "P2TR"
  ],
  [
    { ...fromBitcoin, user: "bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3" },
    "INVALID_REQUEST",
    "user",
    "P2WSH"
  ],
  [{ useDepositAddress: true, recoveryAddress: "nobody" }, "INVALID_ADDRESS", "recoveryAddress"],
  [{ amount: "0" }, "INVALID_REQUEST", "amount"]
]

/** Accepted requests that resemble refused ones. */
const accepted: ReadonlyArray<object> = [
  { subsidizeRent: true },
  {
    subsidizeFees: true,
    sponsoredFeeComponents: ["service", "the service", "relay", "causeway", "rent", "app", "swap", "execution"]
  },
  { subsidizeFees: true, maxSubsidizationAmount: "0", fixedRate: "1:0.999" },
  {
    useDepositAddress: true,
    strict: true,
    refundTo: evmAddress("22"),
    tradeType: "EXACT_OUTPUT",
    recoveryAddress: evmAddress("22")
  },
  { useDepositAddress: true, tradeType: "EXPECTED_OUTPUT", subsidizeFees: true, maxSubsidizationAmount: "5" },
  { topupGas: true, topupGasAmount: "10000000", ...usdcOut },
  { txs: [call({ value: "1000" })] },
  {
    txs: [call()],
    destinationChainId: 1,
    destinationCurrency: alpha.currencies[1]!.address,
    gasLimitForDepositSpecifiedTxs: 100_000
  },
  {
    txs: [call()],
    destinationChainId: 1,
    destinationCurrency: alpha.currencies[1]!.address,
    gasLimitForDepositSpecifiedTxs: "100000"
  },
  { txs: [call()], txsGasLimit: "100000" },
  { usePermit: true, originCurrency: alpha.currencies[1]!.address, originGasOverhead: "5" },
  { appFees: [{ recipient: evmAddress("22"), fee: "600" }, { recipient: evmAddress("23"), fee: "400" }] },
  {
    ...fromSolana,
    depositFeePayer: solanaPayer,
    maxRouteLength: 3,
    useSharedAccounts: true,
    includeComputeUnitLimit: true
  },
  ...wallets.map(({ address, publicKey }) => ({
    ...fromBitcoin,
    user: address,
    ...(publicKey === undefined
      ? {}
      : { additionalData: { userPublicKey: `0x${Buffer.from(publicKey).toString("hex")}` } })
  })),
  { usePermit: true, permitExpiry: 60, originCurrency: alpha.currencies[1]!.address, originGasOverhead: 5 },
  { slippageTolerance: "0", latePaymentSlippageTolerance: "10000" },
  { strict: false, topupGas: false, useDepositAddress: false, refundOnOrigin: true },
  { protocolVersion: "v2", referrer: "somebody", referrerAddress: evmAddress("22"), nonsense: { deep: [1] } }
]

describe("requests", () => {
  for (const [changes, code, field, names] of refusals) {
    it(`${JSON.stringify(changes).slice(0, 90)} is ${code} of ${field}`, () => {
      const result = resolve(request(changes))
      if (Result.isSuccess(result)) return assert.fail("accepted")
      assert.deepStrictEqual([result.failure.code, result.failure.field], [code, field], result.failure.message)
      for (const name of [field, names ?? field]) assert.include(result.failure.message, name)
    })
  }

  for (const changes of accepted) {
    it(`${JSON.stringify(changes).slice(0, 90)} is accepted`, () => {
      const result = resolve(request(changes))
      assert.isTrue(Result.isSuccess(result), Result.isFailure(result) ? result.failure.message : "")
    })
  }

  for (
    const name of [
      "user",
      "originChainId",
      "destinationChainId",
      "originCurrency",
      "destinationCurrency",
      "amount",
      "tradeType"
    ]
  ) {
    it(`${name} is required`, () => {
      const result = decode(request({ [name]: undefined }))
      assert.isTrue(Result.isFailure(result) && result.failure.field === name)
    })
  }

  it("subsidizeRent without subsidizeFees sponsors nothing, with it rent", () => {
    const sponsorship = (changes: object) => Result.getOrThrow(resolve(request(changes))).sponsorship
    assert.isUndefined(sponsorship({ subsidizeRent: true }))
    const selection = sponsorship({ subsidizeRent: true, subsidizeFees: true })?.selection
    assert.isTrue(selection?._tag === "Defaulted" && selection.components.includes("rent"))
  })

  it("every spelling of the service means the same component", () => {
    const resolved = Result.getOrThrow(
      resolve(request({ subsidizeFees: true, sponsoredFeeComponents: ["relay", "the service", "service", "causeway"] }))
    )
    assert.deepStrictEqual(resolved.sponsorship?.selection, { _tag: "Listed", components: ["service"] })
  })

  it("topup is two dollars by default", () => {
    assert.strictEqual(Result.getOrThrow(resolve(request({ topupGas: true, ...usdcOut }))).topup, 2n * 10n ** 18n)
    assert.strictEqual(
      Result.getOrThrow(resolve(request({ topupGas: true, topupGasAmount: "5", ...usdcOut }))).topup,
      5n * 10n ** 12n
    )
  })

  it("any value gives a request or a refusal, never a throw", () => {
    const names = Object.keys(quoteRequestOf(requestParameters).fields)
    fc.assert(
      fc.property(
        fc.anything(),
        fc.constantFrom(...names),
        fc.oneof(fc.anything(), fc.constantFrom("0x", "1", true, [], {}, -1, Infinity)),
        (body, name, value) => {
          decode(body)
          resolve(request({ [name]: value }))
        }
      ),
      { numRuns: inputs(3_000, 200_000) }
    )
  })
})

describe("served parameters", () => {
  it("a known parameter that is not served is refused by name", () => {
    const result = makeRequestDecoder(["recipient"])(request({ refundTo: evmAddress("22") }))
    assert.isTrue(
      Result.isFailure(result) && result.failure.code === "INVALID_REQUEST" && result.failure.field === "refundTo"
    )
    assert.include(Result.isFailure(result) ? result.failure.message : "", "not supported by this version")
  })

  it("every optional parameter is detected when it is not served, unless it requests nothing", () => {
    for (const name of requestParameters) {
      assert.strictEqual(findUnserved([], { [name]: "x" }), name)
      assert.isUndefined(findUnserved([name], { [name]: "x" }))
      assert.isUndefined(findUnserved([], { [name]: false }))
    }
    assert.isUndefined(findUnserved([], { txs: [], explicitDeposit: true, unknown: 1, constructor: 1 }))
    assert.strictEqual(findUnserved([], { sponsoredFeeComponents: [] }), "sponsoredFeeComponents")
    for (const body of [null, undefined, 5, "text", []]) assert.isUndefined(findUnserved([], body))
  })

  it("a host's schema has the required fields and the served ones, nothing else", () => {
    assert.sameMembers(Object.keys(quoteRequestOf(["ttl", "recipient"]).fields), [
      "user",
      "originChainId",
      "destinationChainId",
      "originCurrency",
      "destinationCurrency",
      "amount",
      "tradeType",
      "ttl",
      "recipient"
    ])
  })

  it("knows every parameter of REQUEST-1 to REQUEST-30", () => {
    assert.sameMembers([...requestParameters], [
      "recipient",
      "refundTo",
      "topupGas",
      "usePermit",
      "useDepositAddress",
      "strict",
      "subsidizeFees",
      "maxSubsidizationAmount",
      "sponsoredFeeComponents",
      "subsidizeRent",
      "depositFeePayer",
      "appFees",
      "txs",
      "txsGasLimit",
      "authorizationList",
      "additionalData",
      "referrer",
      "referrerAddress",
      "recoveryAddress",
      "refundOnOrigin",
      "topupGasAmount",
      "enableTrueExactOutput",
      "explicitDeposit",
      "useExternalLiquidity",
      "useFallbacks",
      "permitExpiry",
      "includeProtocolData",
      "slippageTolerance",
      "latePaymentSlippageTolerance",
      "gasLimitForDepositSpecifiedTxs",
      "forceSolverExecution",
      "includedSwapSources",
      "excludedSwapSources",
      "includedOriginSwapSources",
      "includedDestinationSwapSources",
      "originGasOverhead",
      "maxRouteLength",
      "useSharedAccounts",
      "includeComputeUnitLimit",
      "overridePriceImpact",
      "disableSwapProviderPreference",
      "disableOriginSwaps",
      "fixedRate",
      "ttl"
    ])
  })
})
