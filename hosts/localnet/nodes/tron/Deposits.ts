/**
 * Operations with our contracts on a local Tron chain, each one a transaction of a wallet that then waits for a block:
 * every kind of deposit, payments by memo, and withdrawals that the allocator has signed.
 */
import { concat, encodeFunctionData, erc20Abi } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { abi as depositoryAbi } from "../../../../adapters/ethereum/contracts/artifacts/Depository.ts"
import { addressOf } from "../ethereum/Addresses.ts"
import type { EvmAddress } from "./node/Account.ts"
import { base58Of, toEvm } from "./node/Account.ts"
import type { TronKey } from "./node/LocalKey.ts"
import type { Wallet } from "./node/Wallet.ts"

type Hex = `0x${string}`

export interface Withdrawal {
  readonly calls: ReadonlyArray<
    { readonly to: EvmAddress; readonly data: Hex; readonly value: bigint; readonly allowFailure: boolean }
  >
  readonly nonce: bigint
  /** Seconds. */
  readonly expiration: bigint
}

export const depository = base58Of(addressOf("Depository"))
export const router = base58Of(addressOf("Router"))
export const vault = base58Of(addressOf("Vault"))
export const usdc = base58Of(addressOf("TestUSDC"))
export const usdt = base58Of(addressOf("TestUSDT"))

/** depositNative with that much TRX. */
export const depositNative = (wallet: Wallet, id: Hex, sun: bigint): Promise<string> =>
  wallet.trigger(
    depository,
    encodeFunctionData({ abi: depositoryAbi, functionName: "depositNative", args: [wallet.key.evm, id] }),
    { value: sun }
  )

/**
 * Approves the amount for the depository. `depositErc20` needs it before, in an earlier block or earlier in the same
 * one.
 */
export const approve = (wallet: Wallet, amount: bigint, token: string = usdc): Promise<string> =>
  wallet.trigger(
    token,
    encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [addressOf("Depository"), amount] })
  )

export const depositErc20 = (wallet: Wallet, id: Hex, amount: bigint, token: string = usdc): Promise<string> =>
  wallet.trigger(
    depository,
    encodeFunctionData({
      abi: depositoryAbi,
      functionName: "depositErc20",
      args: [wallet.key.evm, toEvm(token), amount, id]
    })
  )

/** A plain transfer of USDC, by default to the depository. The id, if any, follows the arguments. */
export const transferUsdc = (
  wallet: Wallet,
  amount: bigint,
  id: Hex = "0x",
  to: EvmAddress = addressOf("Depository")
): Promise<string> =>
  wallet.trigger(
    usdc,
    concat([encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [to, amount] }), id])
  )

/** The same, by an allowance that `from` has given the wallet. */
export const transferUsdcFrom = (
  wallet: Wallet,
  from: EvmAddress,
  amount: bigint,
  id: Hex = "0x",
  to: EvmAddress = addressOf("Depository")
): Promise<string> =>
  wallet.trigger(
    usdc,
    concat([encodeFunctionData({ abi: erc20Abi, functionName: "transferFrom", args: [from, to, amount] }), id])
  )

export const allowUsdc = (wallet: Wallet, spender: EvmAddress, amount: bigint): Promise<string> =>
  wallet.trigger(usdc, encodeFunctionData({ abi: erc20Abi, functionName: "approve", args: [spender, amount] }))

/** TRX with the order's id, 32 bytes, as the memo. */
export const payNative = (wallet: Wallet, to: string, sun: bigint, orderId: Hex): Promise<string> =>
  wallet.transfer(to, sun, orderId)

/**
 * The allocator's signature of a withdrawal. The domain is the underlying EVM's, whose chain id is the Tron chain's.
 */
export const signWithdrawal = (
  allocator: TronKey,
  chainId: number,
  { calls, expiration, nonce }: Withdrawal
): Promise<Hex> =>
  privateKeyToAccount(allocator.privateKey).signTypedData({
    domain: { name: "RelayDepository", version: "1", chainId, verifyingContract: addressOf("Depository") },
    types: {
      CallRequest: [{ name: "calls", type: "Call[]" }, { name: "nonce", type: "uint256" }, {
        name: "expiration",
        type: "uint256"
      }],
      Call: [{ name: "to", type: "address" }, { name: "data", type: "bytes" }, { name: "value", type: "uint256" }, {
        name: "allowFailure",
        type: "bool"
      }]
    },
    primaryType: "CallRequest",
    message: { calls, nonce, expiration }
  })

/** Executes a signed withdrawal. Anyone may do this. */
export const executeWithdrawal = (wallet: Wallet, withdrawal: Withdrawal, signature: Hex): Promise<string> =>
  wallet.trigger(
    depository,
    encodeFunctionData({ abi: depositoryAbi, functionName: "execute", args: [withdrawal, signature] })
  )
