/**
 * The factory of deposit addresses on the local chains: at one constant address on all of them, as on public ones.
 *
 * Its owner is part of that address. The owner is the deployer, which has no private key, so the settings made at
 * deployment stay.
 */
import type { Address, Hex } from "viem"
import { zeroHash } from "viem"
import { concat, encodeDeployData, encodeFunctionData, getContractAddress } from "viem/utils"
import { abi, bytecode } from "../../../../adapters/ethereum/contracts/artifacts/DepositAddresses.ts"
import { addressOf, deployer } from "./Addresses.ts"

/** The CREATE2 deployer of every EVM chain. Anvil has it from its first block. */
const create2Deployer: Address = "0x4e59b44847b379578588920cA78FbF26c0B4956C"

const initCode = encodeDeployData({ abi, bytecode, args: [deployer] })

/** configs/chains.local.json names the same. EIP-55 spelling. */
export const depositFactory: Address = getContractAddress({
  opcode: "CREATE2",
  from: create2Deployer,
  salt: zeroHash,
  bytecode: initCode
})

interface Call {
  readonly what: string
  readonly to: Address
  readonly data: Hex
}

/**
 * The deployer's calls, in this order: the factory pays into the chain's depository, and the operator may name later
 * orders.
 */
export const depositFactoryCalls = (operator: Address): ReadonlyArray<Call> => [
  { what: "deployment of DepositAddresses", to: create2Deployer, data: concat([zeroHash, initCode]) },
  {
    what: "the depository of the deposit addresses",
    to: depositFactory,
    data: encodeFunctionData({ abi, functionName: "setDepository", args: [addressOf("Depository")] })
  },
  {
    what: "the operator of the deposit addresses",
    to: depositFactory,
    data: encodeFunctionData({ abi, functionName: "setOperator", args: [operator, true] })
  }
]
