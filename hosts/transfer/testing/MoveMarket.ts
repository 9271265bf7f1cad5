/** Trades before a swap is executed: native currency for a token, through Uniswap's own routers. */
import { Effect } from "effect"
import { concat, encodeFunctionData, maxUint256, parseAbi } from "viem"
import type { Address, Hex } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { addressOf } from "../../localnet/nodes/ethereum/Addresses.ts"
import type { Anvil } from "../../localnet/nodes/ethereum/Anvil.ts"
import { sendCall } from "./Client.ts"

export const routerOf = { "uniswap-v3": addressOf("SwapRouter"), "uniswap-v2": addressOf("UniswapV2Router02") } as const

const abi = parseAbi([
  "function swapExactETHForTokens(uint256 amountOutMin, address[] path, address to, uint256 deadline) payable returns (uint256[])",
  "struct Input { bytes path; address recipient; uint256 deadline; uint256 amountIn; uint256 amountOutMinimum; }",
  "function exactInput(Input params) payable returns (uint256)"
])

/**
 * Buys `token` for this much ether from the source's pool: on v3 the one of five hundredths of a percent. With a tip it
 * comes before other pending transactions. Its gas is fixed: a pair takes more in the first swap of a block than an
 * estimate may see.
 */
export const moveMarket = Effect.fnUntraced(
  function*(anvil: Anvil, key: Hex, source: keyof typeof routerOf, token: Address, ether: bigint, tip: bigint = 0n) {
    const { address: recipient } = privateKeyToAccount(key)
    const weth = addressOf("TestWETH")
    const data = source === "uniswap-v2"
      ? encodeFunctionData({
        abi,
        functionName: "swapExactETHForTokens",
        args: [0n, [weth, token], recipient, maxUint256]
      })
      : encodeFunctionData({
        abi,
        functionName: "exactInput",
        args: [{
          path: concat([weth, "0x0001f4", token]),
          recipient,
          deadline: maxUint256,
          amountIn: ether,
          amountOutMinimum: 0n
        }]
      })
    yield* sendCall(anvil, key, {
      to: routerOf[source],
      value: ether,
      data,
      gas: 1_000_000n,
      ...(tip === 0n ? {} : { maxPriorityFeePerGas: tip, maxFeePerGas: 2n * tip })
    })
  }
)
