/**
 * The addresses of the local network's contracts: constants, on every machine.
 *
 * The contracts are deployed by CREATE from an address without a private key, which only a local node lets us use. So
 * address and nonce are always the same. configs/chains.local.json names the same addresses (checked after deployment).
 */
import type { Address } from "viem"
import { getContractAddress } from "viem/utils"

/** The last 20 bytes of keccak256("causeway.localnet.deployer"). */
export const deployer: Address = "0xC1d14048762047dB236dce5463d0fe7ff867D123"

/** Uniswap from its own packages (`Uniswap.ts`). */
export const uniswap = [
  "UniswapV2Factory",
  "UniswapV2Router02",
  "UniswapV3Factory",
  "SwapRouter",
  "QuoterV2",
  "NonfungiblePositionManager"
] as const
export type UniswapContract = (typeof uniswap)[number]

/** In order of deployment: the position in the list is the deployer's nonce. */
export const deployed = [
  "TestUSDC",
  "TestUSDT",
  "TestWETH",
  "Depository",
  "Vault",
  "Router",
  "FeedETH",
  "FeedUSDC",
  "FeedUSDT",
  "Forwarder",
  "TestDAI",
  "TestGEM",
  ...uniswap,
  "SwapDepositor",
  "Handover"
] as const
export type Deployed = (typeof deployed)[number]

/** Address of one of our contracts, equal on every EVM chain of the local network. EIP-55 spelling. */
export const addressOf = (contract: Deployed): Address =>
  getContractAddress({ from: deployer, nonce: BigInt(deployed.indexOf(contract)) })

/** On the hub chain, in order of deployment by the same deployer. */
export const hubDeployed = ["Hub", "OracleGate"] as const
export type HubContract = (typeof hubDeployed)[number]

/** Address of a contract on the hub chain. EIP-55 spelling. configs/chains.hub.local.json names the same. */
export const hubAddressOf = (contract: HubContract): Address =>
  getContractAddress({ from: deployer, nonce: BigInt(hubDeployed.indexOf(contract)) })

/** Canonical address of Multicall3 on every public chain. */
export const multicall3: Address = "0xcA11bde05977b3631167028862bE2a173976CA11"

/** Canonical address of Permit2 on every public chain. No order may call it. */
export const permit2: Address = "0x000000000022D473030F116dDEE9F6B43aC78BA3"

/** Its code is only the id of the instance (see Instance.ts). */
export const marker: Address = "0xca5E000000000000000000000000000000000001"

/** The tokens of every EVM chain, as its configuration lists them. */
export const tokens: ReadonlyArray<
  { readonly symbol: string; readonly contract: Deployed; readonly decimals: number }
> = [
  { symbol: "USDC", contract: "TestUSDC", decimals: 6 },
  { symbol: "USDT", contract: "TestUSDT", decimals: 6 },
  { symbol: "WETH", contract: "TestWETH", decimals: 18 },
  { symbol: "DAI", contract: "TestDAI", decimals: 18 }
]
