/**
 * Uniswap v2 and v3 on the local chains: the real contracts from their packages, and pools with liquidity.
 *
 * The bytecode is read from the packages at run time: it is GPL and BUSL, and not part of this repository.
 */
import { Schema } from "effect"
import { createRequire } from "node:module"
import type { Address, Hex } from "viem"
import { maxUint256, parseAbi, parseEther, parseUnits, zeroAddress } from "viem"
import { encodeAbiParameters, encodeFunctionData, concat } from "viem/utils"
import { addressOf, deployer, multicall3 } from "./Addresses.ts"
import type { Deployed, UniswapContract } from "./Addresses.ts"

const load = createRequire(import.meta.url)

const artifacts: Readonly<Record<UniswapContract, string>> = {
  UniswapV2Factory: "@uniswap/v2-core/build/UniswapV2Factory.json",
  UniswapV2Router02: "@uniswap/v2-periphery/build/UniswapV2Router02.json",
  UniswapV3Factory: "@uniswap/v3-core/artifacts/contracts/UniswapV3Factory.sol/UniswapV3Factory.json",
  SwapRouter: "@uniswap/v3-periphery/artifacts/contracts/SwapRouter.sol/SwapRouter.json",
  QuoterV2: "@uniswap/v3-periphery/artifacts/contracts/lens/QuoterV2.sol/QuoterV2.json",
  NonfungiblePositionManager:
    "@uniswap/v3-periphery/artifacts/contracts/NonfungiblePositionManager.sol/NonfungiblePositionManager.json"
}

const Artifact = Schema.Struct({ bytecode: Schema.String.check(Schema.isPattern(/^(0x)?[0-9a-f]+$/)) })

const codeOf = (contract: UniswapContract): Hex => {
  const { bytecode } = Schema.decodeUnknownSync(Artifact)(load(artifacts[contract]))
  return `0x${bytecode.replace(/^0x/, "")}`
}

const argumentsOf = (contract: UniswapContract): ReadonlyArray<Address> => {
  switch (contract) {
    case "UniswapV2Factory":
      return [zeroAddress]
    case "UniswapV2Router02":
      return [addressOf("UniswapV2Factory"), addressOf("TestWETH")]
    case "UniswapV3Factory":
      return []
    case "SwapRouter":
    case "QuoterV2":
      return [addressOf("UniswapV3Factory"), addressOf("TestWETH")]
    case "NonfungiblePositionManager":
      return [addressOf("UniswapV3Factory"), addressOf("TestWETH"), zeroAddress]
  }
}

/** Init code with the constructor's arguments, which are addresses in all of them. */
export const uniswapInitCode = (contract: UniswapContract): Hex => {
  const values = argumentsOf(contract)
  return concat([codeOf(contract), encodeAbiParameters(values.map(() => ({ type: "address" })), values)])
}

type Token = Extract<Deployed, `Test${string}`>

/** One dollar's worth of each token, in smallest units: the pools start at the prices of the feeds. */
const perDollar: Readonly<Record<Token, bigint>> = {
  TestUSDC: parseUnits("1", 6),
  TestUSDT: parseUnits("1", 6),
  TestDAI: parseEther("1"),
  TestWETH: parseEther("1") / 2_500n,
  TestGEM: parseEther("1") / 2n
}

interface Pool {
  readonly tokens: readonly [Token, Token]
  /** Of each side. */
  readonly dollars: bigint
  /** Hundredths of a basis point. Undefined for a v2 pair. */
  readonly fee: 500 | 3_000 | undefined
}

const pools: ReadonlyArray<Pool> = [
  { tokens: ["TestWETH", "TestUSDC"], dollars: 50_000_000n, fee: 500 },
  { tokens: ["TestUSDC", "TestUSDT"], dollars: 20_000_000n, fee: 500 },
  { tokens: ["TestUSDC", "TestGEM"], dollars: 5_000_000n, fee: 3_000 },
  { tokens: ["TestWETH", "TestUSDC"], dollars: 10_000_000n, fee: undefined },
  { tokens: ["TestWETH", "TestGEM"], dollars: 2_000_000n, fee: undefined }
]

const abi = parseAbi([
  "function mint(address to, uint256 amount)",
  "function deposit() payable",
  "function approve(address spender, uint256 amount) returns (bool)",
  "function addLiquidity(address tokenA, address tokenB, uint256 amountADesired, uint256 amountBDesired, uint256 amountAMin, uint256 amountBMin, address to, uint256 deadline)",
  "function createAndInitializePoolIfNecessary(address token0, address token1, uint24 fee, uint160 sqrtPriceX96) payable returns (address)",
  "struct MintParams { address token0; address token1; uint24 fee; int24 tickLower; int24 tickUpper; uint256 amount0Desired; uint256 amount1Desired; uint256 amount0Min; uint256 amount1Min; address recipient; uint256 deadline; }",
  "function mint(MintParams params) payable returns (uint256, uint128, uint256, uint256)"
])

const squareRoot = (value: bigint): bigint => {
  let root = 1n << BigInt(Math.ceil(value.toString(2).length / 2))
  for (let next = (root + value / root) / 2n; next < root; next = (root + value / root) / 2n) root = next
  return root
}

export interface PoolCall {
  readonly target: Address
  readonly callData: Hex
  readonly value: bigint
}

const call = (target: Deployed, callData: Hex, value = 0n): PoolCall => ({ target: addressOf(target), callData, value })

/** The first and the last tick of a full range, for the fee's tick spacing. */
const fullRange = (fee: 500 | 3_000): number => fee === 500 ? 887_270 : 887_220

const fund = (token: Token, units: bigint): PoolCall =>
  token === "TestWETH"
    ? call(token, encodeFunctionData({ abi, functionName: "deposit" }), units)
    : call(token, encodeFunctionData({ abi, functionName: "mint", args: [multicall3, units] }))

const allow = (token: Token, spender: Deployed, units: bigint) =>
  call(token, encodeFunctionData({ abi, functionName: "approve", args: [addressOf(spender), units] }))

const sides = ({ dollars, tokens }: Pool) => {
  const [first, second] = tokens.map((token) => ({
    token,
    address: addressOf(token),
    units: dollars * perDollar[token]
  }))
    .toSorted((a, b) => a.address.toLowerCase() < b.address.toLowerCase() ? -1 : 1)
  return first === undefined || second === undefined ? [] : [first, second] as const
}

const poolCalls = (pool: Pool): ReadonlyArray<PoolCall> => {
  const [first, second] = sides(pool)
  if (first === undefined || second === undefined) return []
  const spender = pool.fee === undefined ? "UniswapV2Router02" : "NonfungiblePositionManager"
  const prepared = [first, second].flatMap(({ token, units }) => [fund(token, units), allow(token, spender, units)])
  if (pool.fee === undefined) {
    const args = [first.address, second.address, first.units, second.units, 0n, 0n, deployer, maxUint256] as const
    return [...prepared, call(spender, encodeFunctionData({ abi, functionName: "addLiquidity", args }))]
  }
  const price = squareRoot((second.units << 192n) / first.units)
  const mint = {
    token0: first.address,
    token1: second.address,
    fee: pool.fee,
    tickLower: -fullRange(pool.fee),
    tickUpper: fullRange(pool.fee),
    amount0Desired: first.units,
    amount1Desired: second.units,
    amount0Min: 0n,
    amount1Min: 0n,
    recipient: deployer,
    deadline: maxUint256
  }
  return [
    ...prepared,
    call(
      spender,
      encodeFunctionData({
        abi,
        functionName: "createAndInitializePoolIfNecessary",
        args: [first.address, second.address, pool.fee, price]
      })
    ),
    call(spender, encodeFunctionData({ abi, functionName: "mint", args: [mint] }))
  ]
}

/** Multicall3's calls for each pool, in one transaction each: a block does not have the gas for all. */
export const liquidityCalls: ReadonlyArray<ReadonlyArray<PoolCall>> = pools.map(poolCalls)
