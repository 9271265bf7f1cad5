/** The currencies of the local chains as a stranger knows them, and the balances of accounts. */
import { Effect } from "effect"
import { erc20Abi, zeroAddress } from "viem"
import type { Address } from "viem"
import type { Anvil } from "../../localnet/nodes/ethereum/Anvil.ts"
import { addressOf } from "../../localnet/nodes/ethereum/Addresses.ts"
import { reader } from "./Client.ts"

export interface TestCurrency {
  readonly symbol: string
  readonly address: Address
  /** An amount worth some dollars, smallest units. */
  readonly some: bigint
}

export const ETH: TestCurrency = { symbol: "ETH", address: zeroAddress, some: 10n ** 16n }
export const USDC: TestCurrency = { symbol: "USDC", address: addressOf("TestUSDC"), some: 25_000_000n }
export const USDT: TestCurrency = { symbol: "USDT", address: addressOf("TestUSDT"), some: 25_000_000n }
export const WETH: TestCurrency = { symbol: "WETH", address: addressOf("TestWETH"), some: 10n ** 16n }
/** Has only EIP-2612 permits. Not in the list that every token test runs through. */
export const DAI: TestCurrency = { symbol: "DAI", address: addressOf("TestDAI"), some: 25n * 10n ** 18n }
/** Users have it, the solver does not: only a swap reaches it. */
export const GEM: TestCurrency = { symbol: "GEM", address: addressOf("TestGEM"), some: 25n * 10n ** 18n }
export const currencies: ReadonlyArray<TestCurrency> = [ETH, USDC, USDT, WETH]

/** An account's balance, smallest units. */
export const held = (anvil: Anvil, { address }: TestCurrency, account: Address): Effect.Effect<bigint> =>
  Effect.promise(() =>
    address === zeroAddress
      ? reader(anvil).getBalance({ address: account })
      : reader(anvil).readContract({ abi: erc20Abi, address, functionName: "balanceOf", args: [account] })
  )
