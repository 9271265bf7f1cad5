/**
 * The chains of the running network, as a transfer's user knows them: a node, currencies, and an account with its key.
 * Data only; Wallets.ts holds what a family's wallet does with it.
 */
import { zeroAddress } from "viem"
import type { Address } from "viem"
import { formatUnits, getAddress } from "viem/utils"
import type { Localnet } from "../../run/state/LocalnetFile.ts"
import type { ChainAccess } from "./Wallet.ts"

export interface Currency<A extends string = string> {
  readonly symbol: string
  readonly address: A
  readonly decimals: number
}

/** An amount with its unit: `0.1 ETH`. */
export const amountText = (units: bigint, { decimals, symbol }: Omit<Currency, "address">): string =>
  `${formatUnits(units, decimals)} ${symbol}`

/** The transfer API's name for a Solana chain's native currency: the System program. */
const SYSTEM_PROGRAM = "11111111111111111111111111111111"

export interface DemoChain extends ChainAccess {
  readonly vmType: "ethereum-vm" | "solana-vm" | "bitcoin-vm" | "exchangea-vm" | "exchangeb-vm" | "tron-vm"
  /** Of a Bitcoin chain, whose nodes list no coins of an address. */
  readonly explorerUrl?: string
  readonly native: Currency
  /** The native one first. */
  readonly currencies: ReadonlyArray<Currency>
  readonly user: { readonly address: string; readonly privateKey: string } | undefined
}

export const ether: Currency<Address> = { symbol: "ETH", address: zeroAddress, decimals: 18 }
export const sol: Currency = { symbol: "SOL", address: SYSTEM_PROGRAM, decimals: 9 }
export const btc: Currency = { symbol: "BTC", address: "bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqmql8k8", decimals: 8 }
export const trx: Currency = { symbol: "TRX", address: "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb", decimals: 6 }

/** USDC on perps, which stands for the native currency, and on spot. */
export const perps: Currency = { symbol: "USDC", address: "0x00000000000000000000000000000000", decimals: 8 }
export const spot: Currency = { symbol: "USDC-SPOT", address: "0x6d1e7cde53ba9467b783cb7c530ce054", decimals: 8 }

/** The same of exchange B, where a currency is its asset's number, and perps' collateral is 0. */
export const collateral: Currency = { symbol: "USDC", address: "0", decimals: 6 }
export const asset: Currency = { symbol: "USDC-SPOT", address: "3", decimals: 6 }

type EvmChain = Localnet["chains"][number]

export const currenciesOf = (
  { tokens }: EvmChain
): ReadonlyArray<Currency<Address>> => [
  ether,
  ...tokens.map(({ address, decimals, symbol }) => ({ symbol, decimals, address: getAddress(address) }))
]

const bitcoinChain = ({ bitcoin }: Localnet): ReadonlyArray<DemoChain> => {
  if (bitcoin === undefined) return []
  const { accounts: [user], chainId, explorerUrl, id, rpcUrl, vmType } = bitcoin
  return [{ id, chainId, rpcUrl, explorerUrl, vmType, native: btc, currencies: [btc], user }]
}

const tronChain = ({ tron }: Localnet): ReadonlyArray<DemoChain> => {
  if (tron === undefined) return []
  const { accounts: [user], chainId, id, rpcUrl, tokens, vmType } = tron
  return [{ id, chainId, rpcUrl, vmType, native: trx, currencies: [trx, ...tokens], user }]
}

const exchangeAChain = ({ exchangeA }: Localnet): ReadonlyArray<DemoChain> => {
  if (exchangeA === undefined) return []
  const { accounts: [user], chainId, id, rpcUrl, vmType } = exchangeA
  return [{ id, chainId, rpcUrl, vmType, native: perps, currencies: [perps, spot], user }]
}

const exchangeBChain = ({ exchangeB }: Localnet): ReadonlyArray<DemoChain> => {
  if (exchangeB === undefined) return []
  const { accounts: [account], chainId, id, rpcUrl, vmType } = exchangeB
  const user = account && { address: `${account.index}`, privateKey: `${account.index}:${account.privateKey}` }
  return [{ id, chainId, rpcUrl, vmType, native: collateral, currencies: [collateral, asset], user }]
}

const solanaChain = ({ solana }: Localnet): ReadonlyArray<DemoChain> => {
  if (solana === undefined) return []
  const { accounts: [user], chainId, id, rpcUrl, vmType } = solana
  const tokens = solana.tokens.map(({ address, decimals, symbol }) => ({ symbol, address, decimals }))
  return [{ id, chainId, rpcUrl, vmType, native: sol, currencies: [sol, ...tokens], user }]
}

/** All chains on which transfers can begin and end, each with the network's first account. */
export const demoChains = (localnet: Localnet): ReadonlyArray<DemoChain> => {
  const { accounts: [user], chains } = localnet
  const evm = chains.map((chain): DemoChain => {
    const { chainId, id, rpcUrl, vmType } = chain
    return {
      id,
      chainId,
      rpcUrl,
      vmType,
      native: ether,
      currencies: currenciesOf(chain),
      user: user === undefined ? undefined : { ...user, address: getAddress(user.address) }
    }
  })
  return [
    ...evm,
    ...solanaChain(localnet),
    ...bitcoinChain(localnet),
    ...tronChain(localnet),
    ...exchangeAChain(localnet),
    ...exchangeBChain(localnet)
  ]
}
