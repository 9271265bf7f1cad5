/** Transfers for the tests of repositories: well-formed, without meaning. */
import { Schema } from "effect"
import type { ApiKeyId } from "../../../src/domain/api-key/ApiKey.ts"
import { Address } from "../../../src/domain/chain/Address.ts"
import type { ChainId } from "../../../src/domain/chain/ChainId.ts"
import { Transfer } from "../../../src/domain/transfer/Transfer.ts"

const hex = (n: number, digits = 64) => `0x${n.toString(16).padStart(digits, "0")}`
const native = hex(0, 40)
const someone = Address.make(hex(0xa1, 40))

const amountOf = (amount: string) => ({
  currency: {
    chainId: 616101,
    address: native,
    symbol: "ETH",
    name: "Ether",
    decimals: 18,
    metadata: { verified: true, isNative: true }
  },
  amount,
  amountFormatted: "1.0",
  amountUsd: "1.000000",
  minimumAmount: amount
})

const wireAmount = amountOf("1")
const impact = { usd: "0.000000", percent: "0.00" }
const leg = { inputCurrency: wireAmount, outputCurrency: wireAmount, router: "causeway", includedSwapSources: [] }
const slippage = { usd: "0.000000", value: "0", percent: "0.00" }

const quote = {
  steps: [],
  fees: {
    gas: wireAmount,
    relayer: wireAmount,
    relayerGas: wireAmount,
    relayerService: wireAmount,
    app: wireAmount,
    subsidized: wireAmount
  },
  details: {
    operation: "bridge",
    sender: someone,
    recipient: someone,
    currencyIn: wireAmount,
    currencyOut: wireAmount,
    refundCurrency: wireAmount,
    currencyGasTopup: wireAmount,
    totalImpact: impact,
    swapImpact: impact,
    expandedPriceImpact: { swap: { usd: "0.000000" } },
    rate: "1",
    slippageTolerance: { total: "2.00", origin: slippage, destination: slippage },
    timeEstimate: 2,
    userBalance: "0",
    isFixedRate: false,
    route: { origin: leg, destination: leg }
  }
}

const feeSponsorship = {
  quoted: {
    selectedComponents: ["execution"],
    capHit: false,
    components: {},
    sponsoredTotal: amountOf("7"),
    userPaysTotal: amountOf("0")
  }
}

export interface Differences {
  readonly apiKeyId?: ApiKeyId
  /** Milliseconds. */
  readonly quotedAt?: number
  readonly user?: Address
}

const decode = Schema.decodeUnknownSync(Schema.toCodecJson(Transfer))

const made = (n: number, { apiKeyId, quotedAt = 1, user = someone }: Differences, sponsorship: object): Transfer =>
  decode({
    id: hex(n),
    orderId: hex(0x1000000 + n),
    order: {
      version: "v1",
      solverChainId: "beta",
      solver: hex(0xf1, 40),
      salt: hex(1),
      inputs: [],
      output: { chainId: "beta", payments: [], calls: [], deadline: 1_900_000_000, extraData: "0x" },
      fees: []
    },
    orderSignature: "0x12",
    terms: {
      originChainId: 616101,
      originCurrency: native,
      destinationChainId: 616102,
      destinationCurrency: native,
      user,
      recipient: user,
      refundTo: user,
      tradeType: "EXACT_INPUT",
      amountIn: "1",
      amountOut: "1",
      minimumOut: "1"
    },
    quote: { ...quote, ...sponsorship },
    ...(apiKeyId === undefined ? {} : { apiKeyId }),
    quotedAt,
    status: "waiting",
    failReason: null,
    updatedAt: quotedAt
  })

/** The transfer with this number as its id. */
export const transferOf = (n: number, differences: Differences): Transfer => made(n, differences, {})

/** The same transfer, quoted with a sponsor. */
export const sponsoredTransfer = (n: number, differences: Differences): Transfer =>
  made(n, differences, { feeSponsorship })

/** The same transfer, with this deposit address in its terms, if one is given. */
export const addressTransfer = (
  n: number,
  depositAddress: Transfer["terms"]["depositAddress"],
  { originChainId, ...differences }: Differences & { readonly originChainId?: ChainId } = {}
): Transfer => {
  const transfer = transferOf(n, differences)
  return {
    ...transfer,
    terms: {
      ...transfer.terms,
      ...(originChainId === undefined ? {} : { originChainId }),
      ...(depositAddress === undefined ? {} : { depositAddress })
    }
  }
}
