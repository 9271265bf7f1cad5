/**
 * What the configuration entry of an EVM or Tron chain says: contracts that exist and belong together, and tokens with
 * their decimals.
 *
 * SECURITY: a depository is called as one, because token addresses have code, too. Other contracts (gates of another
 * kind, routers of forks) may lack a getter. Only an answer that differs contradicts the configuration; a missing
 * answer does not.
 */
import type { Address } from "../../chain/Address.ts"
import type { ConfiguredChain } from "../../chain/ConfiguredChain.ts"
import type { Currency } from "../../money/Currency.ts"
import { USD_PRICE_DIGITS } from "../../money/Usd.ts"
import type { SwapSource } from "../../swap/SwapSource.ts"
import { CODE, NO_ANSWER } from "../../configuration/Expectation.ts"
import type { Accounts, ContractCall, Expectation, PricingFeed, Purpose } from "../../configuration/Expectation.ts"
import { firstMadeBy } from "./FirstMadeBy.ts"
import { gasPriceOracle } from "./GasPriceOracle.ts"
import { numberedNetwork, tokensOf } from "../../configuration/Network.ts"

type Told = Pick<Expectation, "covers">

const code = (entry: string, of: string, { covers }: Told): Expectation => ({
  entry,
  ask: { _tag: "Code", of },
  configured: CODE,
  covers,
  weight: "refuses"
})

const returns = (
  entry: string,
  of: string,
  call: ContractCall,
  configured: string,
  { covers }: Told,
  accepts: ReadonlyArray<string> = []
): Expectation => ({
  entry: `${entry}.${call.signature.replace(/\(.*/u, "")}`,
  ask: { _tag: "Call", of, call },
  configured,
  accepts,
  covers,
  weight: "refuses"
})

/** The contract `of` names the contract `other` in a getter. */
const names = (
  entry: string,
  of: string,
  getter: string,
  other: string | undefined,
  told: Told,
  accepts?: ReadonlyArray<string>
): ReadonlyArray<Expectation> =>
  other === undefined
    ? []
    : [returns(entry, of, { signature: `${getter}()`, returns: "address" }, other, told, accepts)]

/** The contract `of` accepts transactions from this account. */
const takes = (entry: string, of: string, account: Address | undefined, told: Told): ReadonlyArray<Expectation> =>
  account === undefined
    ? []
    : [returns(entry, of, { signature: "isOperator(address)", argument: account, returns: "bool" }, "true", told)]

const allCovered = ({ id }: ConfiguredChain): Told => ({ covers: { _tag: "Chain", chainId: id } })
const covered = ({ address, chainId }: Currency): Told => ({ covers: { _tag: "Currency", chainId, currency: address } })

/**
 * SECURITY: no other contract answers this call as a depository does by chance. A withdrawal that never existed is
 * unused.
 */
const depositoryOf = (chain: ConfiguredChain): ReadonlyArray<Expectation> => {
  const told = allCovered(chain)
  const unused: ContractCall = { signature: "callRequests(bytes32)", returns: "bool" }
  return [code("depository", chain.depository, told), returns("depository", chain.depository, unused, "false", told)]
}

const swapSource = (source: SwapSource, wrapped: Address, told: Told): ReadonlyArray<Expectation> => {
  const entry = `swaps.${source.id}`
  if (source.id === "jupiter") return []
  if (source.id === "uniswap-v2") {
    return [
      code(`${entry}.router`, source.router, told),
      ...names(`${entry}.router`, source.router, "WETH", wrapped, told, [NO_ANSWER])
    ]
  }
  return [
    code(`${entry}.router`, source.router, told),
    ...names(`${entry}.router`, source.router, "WETH9", wrapped, told, [NO_ANSWER]),
    code(`${entry}.quoter`, source.quoter, told),
    ...names(`${entry}.quoter`, source.quoter, "WETH9", wrapped, told, [NO_ANSWER])
  ]
}

const swapsOf = (chain: ConfiguredChain): ReadonlyArray<Expectation> => {
  const { depository, native, swaps } = chain
  const told = allCovered(chain)
  if (swaps === undefined) return []
  const { depositor, handover, sources, through, wrapped } = swaps
  return [
    code("swaps.wrapped", wrapped, told),
    decimalsOf("swaps.wrapped", wrapped, native, covered(native)),
    ...through.map((token) => code("swaps.through", token, told)),
    ...sources.flatMap((source) => swapSource(source, wrapped, told)),
    ...(depositor === undefined ? [] : [
      code("swaps.depositor", depositor, told),
      ...names("swaps.depositor", depositor, "DEPOSITORY", depository, told),
      ...names("swaps.depositor", depositor, "EXECUTOR", firstMadeBy(depositor), told)
    ]),
    ...(handover === undefined ? [] : [code("swaps.handover", handover, told)])
  ]
}

/**
 * The contracts that the solver pays through: they name each other, and the vault accepts the solver's transactions.
 */
const payingOf = (chain: ConfiguredChain, { solver }: Accounts): ReadonlyArray<Expectation> => {
  const { router, vault } = chain
  const told = allCovered(chain)
  return [
    ...(router === undefined ? [] : [
      code("router", router, told),
      ...names("router", router, "VAULT", vault, told),
      ...(vault === undefined ? [] : names("router", router, "EXECUTOR", firstMadeBy(router), told))
    ]),
    ...(vault === undefined
      ? []
      : [
        code("vault", vault, told),
        ...names("vault", vault, "ROUTER", router, told),
        ...takes("vault", vault, solver, told)
      ])
  ]
}

const depositingOf = (chain: ConfiguredChain, { operator }: Accounts): ReadonlyArray<Expectation> => {
  const { depositAddresses, depository, permits } = chain
  const told = allCovered(chain)
  const factories = depositAddresses?.factory === undefined
    ? []
    : [
      ["depositAddresses.factory", depositAddresses.factory] as const,
      ...(depositAddresses.former ?? []).map((each, index) => [`depositAddresses.former[${index}]`, each] as const)
    ]
  return [
    ...factories.flatMap(([entry, factory]) => [
      code(entry, factory, told),
      ...names(entry, factory, "depository", depository, told),
      ...takes(entry, factory, operator, told)
    ]),
    ...(permits === undefined ? [] : [
      code("permits.forwarder", permits.forwarder, told),
      ...names("permits.forwarder", permits.forwarder, "DEPOSITORY", depository, told),
      ...names("permits.forwarder", permits.forwarder, "PERMIT2", permits.permit2, told),
      ...(permits.permit2 === undefined ? [] : [code("permits.permit2", permits.permit2, told)])
    ])
  ]
}

/** Nothing can be priced there without it. */
const l1DataFeeOf = (chain: ConfiguredChain): ReadonlyArray<Expectation> =>
  chain.l1DataFee === "op-stack" ? [code("l1DataFee", gasPriceOracle, allCovered(chain))] : []

const decimalsOf = (entry: string, of: string, { decimals }: Currency, { covers }: Told): Expectation => ({
  entry: `${entry}.decimals`,
  ask: { _tag: "Decimals", of },
  configured: decimals.toString(),
  covers,
  weight: "refuses"
})

const tokenOf = (currency: Currency): ReadonlyArray<Expectation> => {
  const { address, symbol } = currency
  const entry = `currencies.${symbol}`
  return [
    decimalsOf(entry, address, currency, covered(currency)),
    {
      entry: `${entry}.symbol`,
      ask: { _tag: "Symbol", of: address },
      configured: symbol,
      ...covered(currency),
      weight: "warns"
    }
  ]
}

/** Every number of decimals with which a price can be read. */
const feedDecimals = Array.from({ length: USD_PRICE_DIGITS + 1 }, (_, digits) => digits.toString())

const feedOf = ({ currency, feed }: PricingFeed): Expectation => ({
  entry: `currencies.${currency.symbol}.price.chainlink.decimals`,
  ask: { _tag: "Decimals", of: feed },
  configured: `at most ${USD_PRICE_DIGITS}`,
  accepts: feedDecimals,
  ...covered(currency),
  weight: "refuses"
})

/** For an oracle: the contracts whose deposits and calls count. */
const attestedEvm = (chain: ConfiguredChain): ReadonlyArray<Expectation> => [
  ...numberedNetwork(chain),
  ...depositoryOf(chain),
  ...(chain.router === undefined ? [] : [code("router", chain.router, allCovered(chain))])
]

/** For a service that takes deposits, pays and sweeps. */
const tradedEvm = (
  chain: ConfiguredChain,
  accounts: Accounts,
  feeds: ReadonlyArray<PricingFeed>
): ReadonlyArray<Expectation> => [
  ...numberedNetwork(chain),
  ...depositoryOf(chain),
  ...payingOf(chain, accounts),
  ...depositingOf(chain, accounts),
  ...l1DataFeeOf(chain),
  ...swapsOf(chain),
  ...tokensOf(chain).flatMap(tokenOf),
  ...feeds.map(feedOf)
]

/** The expectations of a chain's entry, for the service's purpose. */
export const evmExpectations = (chain: ConfiguredChain, purpose: Purpose): ReadonlyArray<Expectation> =>
  purpose._tag === "Attest"
    ? attestedEvm(chain)
    : tradedEvm(chain, purpose.accounts, purpose.feeds.filter(({ chainId }) => chainId === chain.id))

/** For a hub: the gate that executions are submitted to, and the contract that holds the balances. */
export const hubContracts = (
  chain: ConfiguredChain,
  gate: string,
  hub: string | undefined
): ReadonlyArray<Expectation> => {
  const told = allCovered(chain)
  return [
    ...l1DataFeeOf(chain),
    code("hub.oracleAddress", gate, told),
    ...(hub === undefined
      ? []
      : [code("hub.hubAddress", hub, told), ...names("hub.oracleAddress", gate, "HUB", hub, told, [NO_ANSWER])])
  ]
}
