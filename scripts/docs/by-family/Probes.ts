/**
 * One request for each parameter of POST /quote, on a route: with these values it asks for what the parameter does. A
 * family either serves that or refuses it by name.
 */
import type { Chain } from "../../../src/domain/chain/Chain.ts"
import type { FamilyName } from "../../../src/domain/chain/VmFamily.ts"
import type { Ability } from "../../../src/domain/families/FamilyRules.ts"
import type { QuoteRequest } from "../../../src/domain/quote/request/QuoteRequest.ts"
import { accountOn } from "./LocalChains.ts"

export interface Route {
  readonly origin: Chain
  readonly destination: Chain
}

type Parameter = keyof typeof QuoteRequest.fields

/** Values of a request, as a client writes them. */
export type Values = Readonly<Partial<Record<Parameter, unknown>>>

/** Which of the request's chains a parameter is about. `within`: one chain is both. */
type Side = "origin" | "destination" | "any" | "within"

export interface Probe {
  readonly side: Side
  readonly values: (route: Route) => Values
  /** Without one of these abilities the parameter is accepted and has nothing to act on. */
  readonly needs?: readonly [abilities: ReadonlyArray<Ability>, nothing: string]
  /** The same, where no ability says so. */
  readonly only?: readonly [families: ReadonlyArray<FamilyName>, nothing: string]
  /** What the parameter is there, in place of "yes". */
  readonly shown?: (chain: Chain) => string
}

const set = (values: Values): Probe["values"] => () => values
const code = (text: string): string => `\`${text}\``

const NO_SWAP = "nothing is swapped there"
const swapsAnywhere = [["swaps-before-deposits", "swaps-in-fills"], NO_SWAP] as const
const swapsOnOrigin = [["swaps-before-deposits"], NO_SWAP] as const
const swapsInFills = [["swaps-in-fills"], NO_SWAP] as const

const SPONSORED = { subsidizeFees: true }
const call = { to: "0x00000000000000000000000000000000000000c1", value: "0", data: "0x" }

const authorization = {
  chainId: 0,
  address: call.to,
  nonce: 0,
  yParity: 0,
  r: `0x${"11".repeat(32)}`,
  s: `0x${"11".repeat(32)}`
}

const addressed = ({ origin }: Route): Values => ({ useDepositAddress: true, refundTo: accountOn(origin) })

const shownAccount = (chain: Chain): string => code(accountOn(chain))
const shownCurrencies = ({ currencies }: Chain): string =>
  currencies.slice(0, 2).map(({ address, symbol }) => `${code(address)} (${symbol})`).join(", ")

/** In the order of the request's schema. */
export const probes: Readonly<Record<Parameter, Probe>> = {
  user: { side: "origin", values: set({}), shown: shownAccount },
  originChainId: { side: "origin", values: set({}), shown: ({ id }) => code(`${id}`) },
  destinationChainId: { side: "destination", values: set({}), shown: ({ id }) => code(`${id}`) },
  originCurrency: { side: "origin", values: set({}), shown: shownCurrencies },
  destinationCurrency: { side: "destination", values: set({}), shown: shownCurrencies },
  amount: {
    side: "any",
    values: set({}),
    shown: ({ family, native }) => {
      const unit = family.payableUnit?.(native) ?? 1n
      return `10^-${native.decimals} ${native.symbol}${unit === 1n ? "" : `, in multiples of ${unit}`}`
    }
  },
  tradeType: { side: "any", values: set({ tradeType: "EXPECTED_OUTPUT" }) },
  recipient: { side: "destination", values: set({}), shown: shownAccount },
  refundTo: {
    side: "origin",
    values: ({ origin }) => ({ refundTo: accountOn(origin) }),
    shown: shownAccount
  },
  topupGas: { side: "destination", values: set({ topupGas: true }) },
  topupGasAmount: { side: "destination", values: set({ topupGas: true, topupGasAmount: "3000000" }) },
  usePermit: { side: "origin", values: set({ usePermit: true }) },
  permitExpiry: { side: "origin", values: set({ usePermit: true, permitExpiry: 3600 }) },
  useDepositAddress: { side: "origin", values: addressed },
  strict: { side: "origin", values: (route) => ({ ...addressed(route), strict: true }) },
  recoveryAddress: {
    side: "origin",
    values: (route) => ({ ...addressed(route), recoveryAddress: accountOn(route.origin) })
  },
  subsidizeFees: { side: "any", values: set(SPONSORED) },
  maxSubsidizationAmount: { side: "any", values: set({ ...SPONSORED, maxSubsidizationAmount: "10000" }) },
  sponsoredFeeComponents: { side: "any", values: set({ ...SPONSORED, sponsoredFeeComponents: ["execution"] }) },
  subsidizeRent: {
    side: "destination",
    values: set({ ...SPONSORED, subsidizeRent: true }),
    only: [["solana-vm"], "a fill leaves no rent there"]
  },
  depositFeePayer: {
    side: "origin",
    values: set({ depositFeePayer: "So11111111111111111111111111111111111111112" })
  },
  appFees: { side: "any", values: set({ appFees: [{ recipient: call.to, fee: "30" }] }) },
  txs: { side: "destination", values: set({ txs: [call] }) },
  txsGasLimit: { side: "destination", values: set({ txs: [call], txsGasLimit: 500_000 }) },
  gasLimitForDepositSpecifiedTxs: {
    side: "within",
    values: set({ txs: [call], gasLimitForDepositSpecifiedTxs: 400_000 })
  },
  authorizationList: { side: "destination", values: set({ authorizationList: [authorization] }) },
  additionalData: {
    side: "origin",
    // Any key: the address of the example reveals its own, which refuses another one.
    values: ({ origin }) =>
      origin.family.refuseDepositor === undefined ? { additionalData: { userPublicKey: "0x02" } } : {}
  },
  referrer: { side: "any", values: set({ referrer: "somebody" }) },
  referrerAddress: { side: "any", values: set({ referrerAddress: call.to }) },
  refundOnOrigin: { side: "origin", values: set({ refundOnOrigin: true }) },
  enableTrueExactOutput: {
    side: "any",
    values: set({ tradeType: "EXACT_OUTPUT", enableTrueExactOutput: true })
  },
  explicitDeposit: { side: "origin", values: set({ explicitDeposit: false }) },
  useExternalLiquidity: { side: "destination", values: set({ useExternalLiquidity: true }) },
  useFallbacks: { side: "destination", values: set({ useFallbacks: true }), needs: swapsInFills },
  includeProtocolData: { side: "any", values: set({ includeProtocolData: true }) },
  slippageTolerance: { side: "any", values: set({ slippageTolerance: "100" }) },
  latePaymentSlippageTolerance: { side: "origin", values: set({ latePaymentSlippageTolerance: "500" }) },
  forceSolverExecution: {
    side: "any",
    values: set({ forceSolverExecution: true }),
    needs: [["swaps-before-deposits"], "the solver carries out every exchange there"]
  },
  includedSwapSources: { side: "any", values: set({ includedSwapSources: ["uniswap-v2"] }), needs: swapsAnywhere },
  excludedSwapSources: { side: "any", values: set({ excludedSwapSources: ["uniswap-v2"] }), needs: swapsAnywhere },
  includedOriginSwapSources: {
    side: "origin",
    values: set({ includedOriginSwapSources: ["uniswap-v2"] }),
    needs: swapsOnOrigin
  },
  includedDestinationSwapSources: {
    side: "destination",
    values: set({ includedDestinationSwapSources: ["uniswap-v2"] }),
    needs: swapsInFills
  },
  originGasOverhead: { side: "origin", values: set({ usePermit: true, originGasOverhead: 100_000 }) },
  maxRouteLength: { side: "any", values: set({ maxRouteLength: 2 }) },
  useSharedAccounts: { side: "origin", values: set({ useSharedAccounts: true }) },
  includeComputeUnitLimit: { side: "origin", values: set({ includeComputeUnitLimit: true }) },
  overridePriceImpact: { side: "any", values: set({ overridePriceImpact: true }) },
  disableSwapProviderPreference: {
    side: "any",
    values: set({ disableSwapProviderPreference: true }),
    needs: swapsAnywhere
  },
  disableOriginSwaps: { side: "origin", values: set({ disableOriginSwaps: true }), needs: swapsOnOrigin },
  fixedRate: { side: "any", values: set({ ...SPONSORED, fixedRate: "1:1" }) },
  ttl: { side: "any", values: set({ ttl: 60 }) }
}
