/**
 * The init code of our contracts, with their constructor arguments on the local network. Pure. The bytecode is the
 * committed one.
 */
import type { Address, Hex } from "viem"
import { encodeDeployData } from "viem/utils"
import * as Depository from "../../../../adapters/ethereum/contracts/artifacts/Depository.ts"
import * as Forwarder from "../../../../adapters/ethereum/contracts/artifacts/Forwarder.ts"
import * as Hub from "../../../../adapters/ethereum/contracts/artifacts/Hub.ts"
import * as OracleGate from "../../../../adapters/ethereum/contracts/artifacts/OracleGate.ts"
import * as Router from "../../../../adapters/ethereum/contracts/artifacts/Router.ts"
import * as SwapDepositor from "../../../../adapters/ethereum/contracts/artifacts/SwapDepositor.ts"
import * as TestFeed from "../../../../adapters/ethereum/contracts/artifacts/TestFeed.ts"
import * as Vault from "../../../../adapters/ethereum/contracts/artifacts/Vault.ts"
import { bytecode as daiCode } from "../../../../adapters/ethereum/contracts/artifacts/TestDAI.ts"
import { bytecode as gemCode } from "../../../../adapters/ethereum/contracts/artifacts/TestGEM.ts"
import { bytecode as handoverCode } from "../../../../adapters/ethereum/contracts/artifacts/Handover.ts"
import { bytecode as usdcCode } from "../../../../adapters/ethereum/contracts/artifacts/TestUSDC.ts"
import { bytecode as usdtCode } from "../../../../adapters/ethereum/contracts/artifacts/TestUSDT.ts"
import { bytecode as wethCode } from "../../../../adapters/ethereum/contracts/artifacts/TestWETH.ts"
import type { Deployed, HubContract } from "./Addresses.ts"
import { addressOf, hubAddressOf, permit2 } from "./Addresses.ts"
import { uniswapInitCode } from "./Uniswap.ts"

export interface Owners {
  /** Owns the vault and operates it. */
  readonly solver: Address
  /** Owns the depository and signs its withdrawals; owns hub and gate. */
  readonly allocator: Address
  /** The one account whose signatures the gate accepts. */
  readonly oracle: Address
}

/** Eight decimals, like the dollar feeds of public chains. */
const feed = (description: string, dollars: bigint): Hex =>
  encodeDeployData({ ...TestFeed, args: [description, 8, dollars * 10n ** 8n] })

/** Init code of a contract with its arguments. Addresses.ts gives the order of deployment. */
export const initCode = (contract: Deployed, { allocator, solver }: Owners): Hex => {
  switch (contract) {
    case "TestUSDC":
      return usdcCode
    case "TestUSDT":
      return usdtCode
    case "TestWETH":
      return wethCode
    case "Depository":
      return encodeDeployData({ ...Depository, args: [allocator, allocator] })
    case "Vault":
      return encodeDeployData({ ...Vault, args: [solver, addressOf("Router"), [solver]] })
    case "Router":
      return encodeDeployData({
        ...Router,
        args: [addressOf("Vault"), [solver, addressOf("Depository"), permit2]]
      })
    case "Forwarder":
      return encodeDeployData({ ...Forwarder, args: [addressOf("Depository"), permit2] })
    case "TestDAI":
      return daiCode
    case "TestGEM":
      return gemCode
    case "Handover":
      return handoverCode
    case "UniswapV2Factory":
    case "UniswapV2Router02":
    case "UniswapV3Factory":
    case "SwapRouter":
    case "QuoterV2":
    case "NonfungiblePositionManager":
      return uniswapInitCode(contract)
    case "SwapDepositor":
      return encodeDeployData({ ...SwapDepositor, args: [addressOf("Depository")] })
    case "FeedETH":
      return feed("ETH / USD", 2_500n)
    case "FeedUSDC":
      return feed("USDC / USD", 1n)
    case "FeedUSDT":
      return feed("USDT / USD", 1n)
  }
}

/** Init code of a contract of the hub chain, with the domain of configs/chains.hub.local.json. */
export const hubInitCode = (contract: HubContract, { allocator, oracle }: Owners): Hex => {
  switch (contract) {
    case "Hub":
      return encodeDeployData({ ...Hub, args: [allocator] })
    case "OracleGate":
      return encodeDeployData({
        ...OracleGate,
        args: [hubAddressOf("Hub"), allocator, "RelayOracle", "1", [oracle], 1n]
      })
  }
}
