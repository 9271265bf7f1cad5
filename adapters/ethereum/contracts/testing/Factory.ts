/** The factory of deposit addresses in tests: its deployment, its calls, and init codes that pay in unusual ways. */
import type { Address, Hex } from "viem"
import { concat, encodeDeployData, encodeFunctionData, getContractAddress, zeroHash } from "viem"
import { abi, bytecode } from "../artifacts/DepositAddresses.ts"

/** At the same address on every EVM chain. Anvil has it from its first block. */
export const CREATE2_DEPLOYER: Address = "0x4e59b44847b379578588920cA78FbF26c0B4956C"

const initCode = (owner: Address): Hex => encodeDeployData({ abi, bytecode, args: [owner] })

/** The address of an owner's factory, equal on every chain. */
export const factoryOf = (owner: Address): Address =>
  getContractAddress({ opcode: "CREATE2", from: CREATE2_DEPLOYER, salt: zeroHash, bytecode: initCode(owner) })

/** Deploys the factory. Anyone may send it to the CREATE2 deployer. */
export const deployment = (owner: Address): Hex => concat([zeroHash, initCode(owner)])

/** One currency of the address of (orderId, depositor). `id` defaults to the order's own. */
export interface SweepOf {
  readonly orderId: Hex
  readonly depositor: Address
  readonly id?: Hex
  readonly currency: Address
}

export const sweepData = ({ currency, depositor, orderId }: SweepOf): Hex =>
  encodeFunctionData({ abi, functionName: "sweep", args: [orderId, depositor, currency] })
export const sweepForData = ({ currency, depositor, id, orderId }: SweepOf): Hex =>
  encodeFunctionData({ abi, functionName: "sweepFor", args: [orderId, depositor, id ?? orderId, currency] })
export const sweepManyData = (sweeps: ReadonlyArray<SweepOf>): Hex =>
  encodeFunctionData({
    abi,
    functionName: "sweepMany",
    args: [sweeps.map((sweep) => ({ id: sweep.orderId, ...sweep }))]
  })
export const announceExitData = (orderId: Hex): Hex =>
  encodeFunctionData({ abi, functionName: "announceExit", args: [orderId] })
/** `id` defaults to the order's own. */
export const exitData = ({ currency, id, orderId }: Omit<SweepOf, "depositor">): Hex =>
  encodeFunctionData({ abi, functionName: "exit", args: [orderId, id ?? orderId, currency] })
export const setDepository = (depository: Address): Hex =>
  encodeFunctionData({ abi, functionName: "setDepository", args: [depository] })
export const setOperator = (operator: Address, allowed = true): Hex =>
  encodeFunctionData({ abi, functionName: "setOperator", args: [operator, allowed] })

/** Init code that sends its value with the 2300 gas of a plain `transfer`, and fails when that is too little. */
export const payWithStipend = (to: Address): Hex => concat(["0x5f5f5f5f3473", to, "0x5ff16022575f5ffd5b00"])

/** Init code that forces its value on an account by self-destructing. No code of that account runs. */
export const forcePayment = (to: Address): Hex => concat(["0x73", to, "0xff"])
