/**
 * Every parameter of POST /quote, in the order of the schema, with the value that is set and how its effect is shown.
 */
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import { multicall3 } from "../../../../localnet/nodes/ethereum/Addresses.ts"
import { DAI, ETH, GEM, USDC, USDT } from "../../../testing/Tokens.ts"
import { addressMode, afterSeconds, afterTheDeadline, depositorOf, overpaid, PAYER, preference } from "./Journeys.ts"
import type { Row } from "./Row.ts"
import { fresh } from "./Fixture.ts"

const quotes = { _tag: "Quotes" } as const
const ofSolana = { _tag: "Solana" } as const
const ofBitcoin = { _tag: "Bitcoin" } as const

const paying = (fixture: Parameters<Row["value"]>[0]) => ({ user: fixture.user(PAYER) })

const core = {
  pricing: "src/domain/quote/pricing/Pricing.test.ts",
  journey: "hosts/transfer/e2e/journey/Journey.local.test.ts",
  routes: "hosts/transfer/e2e/api/Routes.local.test.ts",
  tokens: "hosts/transfer/e2e/deposit-addresses/UnexpectedTokens.local.test.ts",
  calls: "hosts/transfer/e2e/quotes/Calls.local.test.ts",
  permits: "hosts/transfer/e2e/permits/Permits.local.test.ts",
  addresses: "hosts/transfer/e2e/deposit-addresses/DepositAddresses.local.test.ts",
  sponsorship: "hosts/transfer/e2e/scenarios/Scenarios.local.test.ts",
  onSolana: "hosts/transfer/e2e/scenarios/SolanaScenarios.local.test.ts",
  terms: "hosts/transfer/e2e/quotes/QuoteTerms.local.test.ts",
  topups: "hosts/transfer/e2e/quotes/Topups.local.test.ts",
  settling: "hosts/transfer/e2e/settling/Settling.local.test.ts",
  swaps: "hosts/transfer/e2e/swaps/Swaps.local.test.ts",
  solana: "hosts/transfer/e2e/solana/Solana.local.test.ts"
} as const

/** A call without side effects: it asks a token for its supply. */
const harmless = [{ to: USDC.address, value: "0", data: "0x18160ddd" }]

const withinAlpha: Row["beside"] = ({ chains }) => ({
  destinationChainId: chains.alpha.chainId,
  txs: harmless,
  gasLimitForDepositSpecifiedTxs: 200_000
})

/** Not filled by the solver: the user swaps. */
const usersSwap: NonNullable<Row["beside"]> = ({ chains }) => ({
  destinationChainId: chains.alpha.chainId,
  destinationCurrency: USDT.address
})

/** An unknown account signs a delegation to a contract's code. */
const signer = privateKeyToAccount(generatePrivateKey())
const authorization = await signer.signAuthorization({ chainId: 0, nonce: 0, address: multicall3 }).then((
  { r, s, yParity = 0 }
) => ({ chainId: 0, address: multicall3, nonce: 0, yParity, r, s }))

const solana = "So11111111111111111111111111111111111111112"

export const rows: ReadonlyArray<Row> = [
  { parameter: "user", value: (fixture) => fixture.user(1), shown: quotes, test: core.journey },
  { parameter: "originChainId", value: ({ chains }) => chains.beta.chainId, shown: quotes, test: core.routes },
  { parameter: "destinationChainId", value: ({ chains }) => chains.alpha.chainId, shown: quotes, test: core.routes },
  { parameter: "originCurrency", value: () => USDT.address, shown: quotes, test: core.routes },
  { parameter: "destinationCurrency", value: () => USDT.address, shown: quotes, test: core.routes },
  { parameter: "amount", value: () => "200000000", shown: quotes, test: core.pricing },
  { parameter: "tradeType", value: () => "EXACT_OUTPUT", shown: quotes, test: core.pricing },
  { parameter: "recipient", value: () => fresh(2), shown: quotes, test: core.journey },
  { parameter: "refundTo", value: () => fresh(3), shown: quotes, test: core.tokens },
  { parameter: "topupGas", value: () => true, shown: quotes, test: core.topups },
  {
    parameter: "topupGasAmount",
    value: () => "3000000",
    beside: () => ({ topupGas: true }),
    shown: quotes,
    test: core.topups
  },
  { parameter: "usePermit", value: () => true, shown: quotes, test: core.permits },
  {
    parameter: "permitExpiry",
    value: () => 3600,
    beside: () => ({ usePermit: true }),
    shown: quotes,
    test: core.permits
  },
  {
    parameter: "useDepositAddress",
    value: () => true,
    beside: () => ({ refundTo: fresh(3) }),
    shown: quotes,
    test: "hosts/transfer/e2e/sponsorship/Addresses.local.test.ts"
  },
  {
    parameter: "strict",
    value: () => true,
    beside: () => ({ useDepositAddress: true, refundTo: fresh(3) }),
    shown: { _tag: "Journey", of: addressMode },
    test: core.addresses
  },
  {
    parameter: "recoveryAddress",
    value: () => fresh(4),
    beside: () => ({ useDepositAddress: true, refundTo: fresh(3) }),
    shown: { _tag: "Journey", of: depositorOf },
    test: core.addresses
  },
  { parameter: "subsidizeFees", value: () => true, keyed: true, shown: quotes, test: core.sponsorship },
  {
    parameter: "maxSubsidizationAmount",
    value: () => "10000",
    beside: () => ({ subsidizeFees: true }),
    keyed: true,
    shown: quotes,
    test: core.sponsorship
  },
  {
    parameter: "sponsoredFeeComponents",
    value: () => ["execution"],
    beside: () => ({ subsidizeFees: true, destinationCurrency: USDT.address }),
    keyed: true,
    shown: quotes,
    test: core.sponsorship
  },
  {
    parameter: "subsidizeRent",
    value: () => true,
    beside: () => ({ subsidizeFees: true }),
    keyed: true,
    shown: quotes,
    test: core.onSolana
  },
  { parameter: "depositFeePayer", value: () => solana, shown: ofSolana, test: core.onSolana },
  { parameter: "appFees", value: () => [{ recipient: fresh(5), fee: "30" }], shown: quotes, test: core.tokens },
  { parameter: "txs", value: () => harmless, shown: quotes, test: core.calls },
  {
    parameter: "txsGasLimit",
    value: () => 500_000,
    beside: () => ({ txs: harmless }),
    shown: quotes,
    test: core.calls
  },
  {
    parameter: "gasLimitForDepositSpecifiedTxs",
    value: () => 400_000,
    beside: withinAlpha,
    shown: quotes,
    test: core.calls
  },
  {
    parameter: "authorizationList",
    value: () => [authorization],
    shown: quotes,
    test: "hosts/transfer/e2e/quotes/Authorizations.local.test.ts"
  },
  {
    parameter: "additionalData",
    value: () => ({ userPublicKey: "0x02" }),
    shown: ofBitcoin,
    test: "hosts/transfer/e2e/bitcoin/FromBitcoin.local.test.ts"
  },
  {
    parameter: "referrer",
    value: () => "somebody",
    shown: { _tag: "History" },
    test: "hosts/transfer/e2e/api/History.local.test.ts"
  },
  {
    parameter: "referrerAddress",
    value: () => fresh(6),
    shown: { _tag: "History" },
    test: "hosts/transfer/e2e/api/History.local.test.ts"
  },
  { parameter: "refundOnOrigin", value: () => true, shown: quotes, test: core.settling },
  {
    parameter: "enableTrueExactOutput",
    value: () => true,
    beside: (fixture) => ({
      ...paying(fixture),
      originCurrency: ETH.address,
      destinationCurrency: ETH.address,
      tradeType: "EXACT_OUTPUT",
      amount: ETH.some.toString(),
      recipient: fresh(7)
    }),
    shown: { _tag: "Journey", of: overpaid },
    test: core.tokens
  },
  { parameter: "explicitDeposit", value: () => false, shown: quotes, test: core.tokens },
  {
    parameter: "useExternalLiquidity",
    value: () => true,
    beside: () => ({ originCurrency: ETH.address, amount: `${5_000n * 10n ** 18n}` }),
    shown: quotes,
    test: "hosts/transfer/e2e/quotes/ExternalLiquidity.local.test.ts"
  },
  {
    parameter: "useFallbacks",
    value: () => true,
    beside: () => ({ destinationCurrency: GEM.address }),
    shown: quotes,
    test: core.swaps
  },
  {
    parameter: "includeProtocolData",
    value: () => false,
    shown: quotes,
    test: "hosts/oracle/e2e/families/Settlement.local.test.ts"
  },
  {
    parameter: "slippageTolerance",
    value: () => "1000",
    shown: quotes,
    test: "hosts/transfer/e2e/quotes/Prices.local.test.ts"
  },
  {
    parameter: "latePaymentSlippageTolerance",
    value: () => "500",
    beside: paying,
    shown: { _tag: "Journey", of: afterTheDeadline },
    test: core.terms
  },
  {
    parameter: "forceSolverExecution",
    value: () => true,
    beside: (fixture) => ({ ...usersSwap(fixture), disableOriginSwaps: true }),
    shown: quotes,
    test: core.settling
  },
  {
    parameter: "includedSwapSources",
    value: () => ["uniswap-v2"],
    beside: (fixture) => ({ ...usersSwap(fixture), excludedSwapSources: ["uniswap-v2"] }),
    shown: quotes,
    test: core.swaps
  },
  {
    parameter: "excludedSwapSources",
    value: () => ["uniswap-v3", "uniswap-v2"],
    beside: usersSwap,
    shown: quotes,
    test: core.swaps
  },
  {
    parameter: "includedOriginSwapSources",
    value: () => ["uniswap-v2"],
    beside: (fixture) => ({ ...usersSwap(fixture), excludedSwapSources: ["uniswap-v2"] }),
    shown: quotes,
    test: core.swaps
  },
  {
    parameter: "includedDestinationSwapSources",
    value: () => ["uniswap-v2"],
    beside: () => ({ destinationCurrency: GEM.address, excludedSwapSources: ["uniswap-v2"] }),
    shown: quotes,
    test: core.swaps
  },
  {
    parameter: "originGasOverhead",
    value: () => 100_000,
    beside: () => ({ usePermit: true }),
    shown: quotes,
    test: core.permits
  },
  {
    parameter: "maxRouteLength",
    value: () => 2,
    shown: ofSolana,
    test: "hosts/transfer/e2e/swaps/SolanaSwaps.local.test.ts"
  },
  {
    parameter: "useSharedAccounts",
    value: () => true,
    shown: ofSolana,
    test: "hosts/transfer/e2e/swaps/SolanaSwaps.local.test.ts"
  },
  { parameter: "includeComputeUnitLimit", value: () => true, shown: ofSolana, test: core.solana },
  {
    parameter: "overridePriceImpact",
    value: () => true,
    beside: () => ({ destinationCurrency: DAI.address }),
    shown: quotes,
    test: core.terms
  },
  {
    parameter: "disableSwapProviderPreference",
    value: () => true,
    beside: (fixture) => ({
      ...usersSwap(fixture),
      originCurrency: ETH.address,
      destinationCurrency: USDC.address,
      amount: (400n * ETH.some).toString()
    }),
    shown: { _tag: "Journey", of: preference },
    test: core.swaps
  },
  { parameter: "disableOriginSwaps", value: () => true, beside: usersSwap, shown: quotes, test: core.swaps },
  {
    parameter: "fixedRate",
    value: () => "1:1.001",
    keyed: true,
    beside: () => ({ subsidizeFees: true, destinationCurrency: USDT.address }),
    shown: quotes,
    test: core.terms
  },
  { parameter: "ttl", value: () => 1, beside: paying, shown: { _tag: "Journey", of: afterSeconds }, test: core.terms }
]
